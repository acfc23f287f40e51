//! Where things are.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// The folders and programs that the chores work with.
pub(crate) struct House {
    /// The root of the repository.
    pub(crate) root: PathBuf,
    target: PathBuf,
}

impl House {
    /// The house that this program was built in.
    pub(crate) fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("`xtask` does not lie in the repository")?
            .to_owned();
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        Ok(Self { root, target })
    }

    /// The program as users get it.
    pub(crate) fn release_binary(&self) -> PathBuf {
        self.target.join("release/checkrein")
    }

    /// The program as developers build it.
    pub(crate) fn debug_binary(&self) -> PathBuf {
        self.target.join("debug/checkrein")
    }

    /// Where the scripts of the real clients lie, and what they need beside them.
    pub(crate) fn clients(&self) -> PathBuf {
        self.root.join("tests/clients")
    }

    /// The recorded requests and results, where they lie beside the repository.
    pub(crate) fn golden(&self) -> Option<PathBuf> {
        self.beside("golden/golden.py")
    }

    /// The suite that plays scripted agents through the proxy, where it lies beside the repository.
    pub(crate) fn verdicts(&self) -> Option<PathBuf> {
        self.beside("chaos/oracle/verdict_truth.py")
    }

    fn beside(&self, script: &str) -> Option<PathBuf> {
        let script = self.root.parent()?.join("shared").join(script);
        script.is_file().then_some(script)
    }
}
