//! The file a report goes to, and what it may not be.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A report file that was found usable.
#[derive(Debug, Clone)]
pub struct Target {
    path: PathBuf,
}

/// Why a path cannot hold a report.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// There is no such directory.
    #[error("failed to use `{}` for the report: its directory does not exist; make it first", .0.display())]
    NoDirectory(PathBuf),
    /// It is something other than a file.
    #[error("failed to use `{}` for the report: it is no regular file; name one that is, or a new one", .0.display())]
    NotAFile(PathBuf),
    /// It cannot be written.
    #[error("failed to use `{}` for the report: {source}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

static COUNT: AtomicU64 = AtomicU64::new(0);

impl Target {
    /// Checks a path without touching what is there.
    ///
    /// # Errors
    /// When a report could not be put there.
    pub fn check(path: &Path) -> Result<Self, TargetError> {
        let io = |source| TargetError::Io { path: path.to_owned(), source };
        match fs::metadata(path) {
            Ok(found) if found.is_file() => {}
            Ok(_) => return Err(TargetError::NotAFile(path.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(io(error)),
        }
        let target = Self { path: path.to_owned() };
        if !target.directory().is_dir() {
            return Err(TargetError::NoDirectory(path.to_owned()));
        }
        // Whether a file can be made beside it shows only by making one.
        let trial = target.beside();
        fs::File::create_new(&trial).map_err(io)?;
        fs::remove_file(&trial).map_err(io)?;
        Ok(target)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the report in one step, so that no reader ever sees half of one.
    ///
    /// # Errors
    /// When it cannot be written, or something that is no file stands there now.
    pub fn write(&self, text: &str) -> io::Result<()> {
        self.put(text, |beside, path| fs::rename(beside, path))
    }

    /// The same for a report that is soon replaced again. Where two files can change places, the
    /// one before is never brought to the disk: renaming over it makes ext4 do that each time,
    /// which costs an answer more than everything else the proxy does.
    ///
    /// # Errors
    /// As [`Target::write`].
    pub fn write_for_now(&self, text: &str) -> io::Result<()> {
        self.put(text, |beside, path| match change_places(beside, path) {
            Ok(()) => fs::remove_file(beside),
            Err(_) => fs::rename(beside, path),
        })
    }

    fn put(&self, text: &str, replace: impl Fn(&Path, &Path) -> io::Result<()>) -> io::Result<()> {
        if fs::symlink_metadata(&self.path).is_ok_and(|found| !found.is_file())
            && !fs::metadata(&self.path).is_ok_and(|found| found.is_file())
        {
            return Err(io::Error::other("something that is no regular file stands there"));
        }
        let beside = self.beside();
        let written = fs::File::create_new(&beside)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .and_then(|()| replace(&beside, &self.path));
        if written.is_err() {
            let _ = fs::remove_file(&beside);
        }
        written
    }

    fn directory(&self) -> PathBuf {
        match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        }
    }

    fn beside(&self) -> PathBuf {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let nanoseconds = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |since| since.subsec_nanos());
        let random = u64::from(nanoseconds) ^ (count << 32);
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.{random:x}.tmp", std::process::id()));
        self.directory().join(name)
    }
}

#[cfg(target_os = "linux")]
fn change_places(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(target_os = "linux"))]
fn change_places(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_replaces_the_one_before_and_leaves_nothing_beside_it() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("r.json");
        let target = Target::check(&path).unwrap();
        assert!(!path.exists(), "checking makes no file");
        target.write("one").unwrap();
        target.write("two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        fs::remove_file(&path).unwrap();
        for text in ["three", "four", "five"] {
            target.write_for_now(text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let home = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/dev/null", home.path().join("link")).unwrap();
        for path in ["/dev/null", home.path().to_str().unwrap()] {
            assert!(matches!(Target::check(Path::new(path)), Err(TargetError::NotAFile(_))));
        }
        assert!(matches!(Target::check(&home.path().join("link")), Err(TargetError::NotAFile(_))));
        assert!(matches!(
            Target::check(&home.path().join("no/such/r.json")),
            Err(TargetError::NoDirectory(_))
        ));
    }

    #[test]
    fn a_target_that_turned_into_something_else_is_not_replaced() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("r.json");
        let target = Target::check(&path).unwrap();
        std::os::unix::fs::symlink("/dev/full", &path).unwrap();
        assert!(target.write("one").is_err());
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(target.write("one").is_err());
    }
}
