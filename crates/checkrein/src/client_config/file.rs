//! Changes a file of somebody else's: with a backup, all or nothing, and not when nothing changes.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Configurations are pages; a file past this is something else.
const LARGEST_FILE: u64 = 16 * 1024 * 1024;
/// So many backups and nobody has looked at them.
const MOST_BACKUPS: u32 = 100;

/// What became of a file.
pub(crate) struct Changed {
    pub(crate) changed: bool,
    pub(crate) backup: Option<PathBuf>,
}

/// Replaces the text of a file, or writes it if there is none.
pub(crate) fn change(
    path: &Path,
    edit: impl FnOnce(&str) -> Result<String, Failure>,
) -> Result<Changed, Failure> {
    // A linked file is changed where it lies, so that a link into a dotfiles folder survives.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = read(&target)?;
    let after =
        edit(before.as_deref().unwrap_or_default()).map_err(|failure| failure.within(&target))?;
    if before.as_deref() == Some(after.as_str()) {
        return Ok(Changed { changed: false, backup: None });
    }
    let failed = |error| Failure::new(format!("failed to write `{}`: {error}", target.display()));
    let backup = before.is_some().then(|| back_up(&target)).transpose().map_err(failed)?;
    write(&target, &after).map_err(failed)?;
    Ok(Changed { changed: true, backup })
}

fn read(path: &Path) -> Result<Option<String>, Failure> {
    let failed =
        |error: io::Error| Failure::new(format!("failed to read `{}`: {error}", path.display()));
    match fs::metadata(path) {
        Ok(found) if found.len() > LARGEST_FILE => {
            Err(Failure::new(format!("`{}` is too large for a configuration", path.display())))
        }
        Ok(_) => fs::read_to_string(path).map(Some).map_err(failed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

/// Copies the file beside itself, under a name that is free.
fn back_up(path: &Path) -> io::Result<PathBuf> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".bak");
    for count in 0..MOST_BACKUPS {
        let mut name = name.clone();
        if count > 0 {
            name.push(count.to_string());
        }
        let backup = path.with_file_name(name);
        if !backup.exists() {
            fs::copy(path, &backup)?;
            return Ok(backup);
        }
    }
    Err(io::Error::other(format!("there are {MOST_BACKUPS} backups; remove some")))
}

/// Writes beside the file and renames, so that a reader sees the old text or the new, never half.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    fs::create_dir_all(folder)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let fresh = path.with_file_name(name);
    let written = fs::File::create(&fresh).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        if let Ok(before) = fs::metadata(path) {
            file.set_permissions(before.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&fresh, path)
    });
    if written.is_err() {
        drop(fs::remove_file(&fresh));
    }
    written
}
