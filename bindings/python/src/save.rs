//! Writes files: all bytes or nothing.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file beside its target, syncs it, and renames it to the target.
///
/// A link is followed. An existing file keeps its permissions. Devices and pipes are written directly.
pub fn save(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = fs::metadata(&target);
    if before.as_ref().is_ok_and(|data| !data.is_file() && !data.is_dir()) {
        return OpenOptions::new().write(true).open(&target)?.write_all(bytes);
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // With the default permissions of new files.
    let create = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    let made = tempfile::Builder::new().prefix(".bindpose.").suffix(".tmp").make_in(folder, create)?;
    let (mut file, temporary) = made.into_parts();
    if let Ok(data) = before {
        file.set_permissions(data.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    temporary.persist(&target).map_err(|failed| failed.error)?;
    // Not every system syncs directories.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}
