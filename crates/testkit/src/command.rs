//! Runs the program in an empty place, with nothing of the developer's own around it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// The program under test: the one that `CHECKREIN_BIN` names, else the one built beside the tests.
#[expect(clippy::expect_used, reason = "a test without a program cannot go on")]
pub fn binary() -> PathBuf {
    if let Some(named) = std::env::var_os("CHECKREIN_BIN") {
        return PathBuf::from(named);
    }
    let tests = std::env::current_exe().expect("a test knows its own path");
    let folder = tests.ancestors().nth(2).expect("tests are built into a folder of the target");
    let name = format!("checkrein{}", std::env::consts::EXE_SUFFIX);
    let program = folder.join(name);
    assert!(program.exists(), "`{}` is missing: run `cargo build`", program.display());
    program
}

/// An empty home and working directory.
pub struct Place {
    dir: TempDir,
    variables: Vec<(String, String)>,
}

impl Place {
    /// A fresh one.
    #[expect(clippy::expect_used, reason = "a test without a directory cannot go on")]
    #[expect(clippy::new_without_default, reason = "it makes a directory")]
    pub fn new() -> Self {
        Self { dir: TempDir::new().expect("a temporary directory"), variables: Vec::new() }
    }

    /// Sets a variable for the programs started here.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The text of a file here.
    #[expect(clippy::expect_used, reason = "a missing file fails the test")]
    pub fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path().join(file)).expect(file)
    }

    /// Writes a file here, and the folders it needs.
    #[expect(clippy::expect_used, reason = "a test without its files cannot go on")]
    pub fn write(&self, file: &str, text: &str) {
        let path = self.path().join(file);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).expect("a folder");
        }
        std::fs::write(path, text).expect(file);
    }

    /// The program with some arguments, ready to start here.
    pub fn command<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Command {
        let mut command = Command::new(binary());
        command.args(arguments).current_dir(self.path()).env_clear();
        command.env("HOME", self.path()).envs(self.variables.iter().cloned());
        for kept in ["PATH", "SystemRoot", "LLVM_PROFILE_FILE"] {
            if let Some(value) = std::env::var_os(kept) {
                command.env(kept, value);
            }
        }
        command
    }

    /// Runs the program to its end, with nothing on its standard input.
    #[expect(clippy::expect_used, reason = "a program that does not start fails the test")]
    pub fn run<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Output {
        self.command(arguments).stdin(Stdio::null()).output().expect("the program starts")
    }
}
