//! Images in the directories of the input files, for `export`.

use std::fs;
use std::path::{Path, PathBuf};

/// The directories that are searched for images.
pub(super) struct Images {
    /// The directories of the input files.
    folders: Vec<PathBuf>,
    /// The directory of the result, to which URIs are relative.
    base: Option<PathBuf>,
}

impl Images {
    /// Images in the directories of these files, for a result at this path.
    pub fn new<'a>(out: &Path, files: impl Iterator<Item = &'a Path>) -> Self {
        let folder = |path: &Path| {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            fs::canonicalize(parent.unwrap_or(Path::new("."))).ok()
        };
        let is_file = out.as_os_str() != "-";
        let mut folders: Vec<_> = files.filter_map(folder).collect();
        folders.dedup();
        Self { folders, base: is_file.then(|| folder(out)).flatten() }
    }

    /// The URI of the image of a texture: the file of that name, or of the whole relative path, in the directory of an input
    /// file. None if glTF does not support its type, or if it is outside the directory of the result.
    pub fn uri(&self, texture: &str) -> Option<String> {
        let texture = texture.replace('\\', "/");
        let extension = Path::new(&texture).extension()?.to_str()?.to_ascii_lowercase();
        if !["png", "jpg", "jpeg"].contains(&&*extension) {
            return None;
        }
        let name = texture.rsplit('/').next().unwrap_or_default();
        let base = self.base.as_ref()?;
        let mut places = self.folders.iter().flat_map(|folder| [folder.join(&texture), folder.join(name)]);
        places.find_map(|place| {
            let found = fs::canonicalize(place).ok().filter(|place| place.is_file())?;
            Some(escape(found.strip_prefix(base).ok()?.to_str()?))
        })
    }
}

/// A relative path as a URI.
fn escape(path: &str) -> String {
    let escaped = |byte: u8| match byte {
        // Windows has another separator.
        b'\\' => "/".into(),
        b'/' | b'-' | b'.' | b'_' | b'~' => char::from(byte).into(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).into(),
        byte => format!("%{byte:02X}"),
    };
    path.bytes().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_referred_to_where_it_lies_beside_both() {
        let folder = tempfile::tempdir().expect("a folder");
        let models = folder.path().join("my models");
        fs::create_dir_all(models.join("skins")).expect("folders");
        for name in ["skins/a b.PNG", "c.jpg", "d.tga"] {
            fs::write(models.join(name), b"").expect("an image");
        }
        let files = [models.join("hero.x")];
        let images = |out: PathBuf| Images::new(&out, files.iter().map(PathBuf::as_path));
        let uri = |out: PathBuf, texture: &str| images(out).uri(texture);
        let beside = models.join("hero.glb");
        assert_eq!(uri(beside.clone(), r".\skins\a b.PNG").as_deref(), Some("skins/a%20b.PNG"));
        assert_eq!(uri(beside.clone(), r"D:\art\c.jpg").as_deref(), Some("c.jpg"));
        assert_eq!(uri(beside.clone(), "d.tga"), None, "glTF takes no TGA");
        assert_eq!(uri(beside, "e.png"), None, "it is not there");
        assert_eq!(uri(folder.path().join("hero.glb"), "c.jpg").as_deref(), Some("my%20models/c.jpg"));
        assert_eq!(uri(models.join("skins/hero.glb"), "c.jpg"), None, "it is in a parent directory");
        assert_eq!(uri("-".into(), "c.jpg"), None, "nobody knows where the result will be");
        let elsewhere = folder.path().join("c.jpg");
        fs::write(&elsewhere, b"").expect("an image");
        let named = elsewhere.to_str().expect("a name");
        assert_eq!(uri(models.join("hero.glb"), named).as_deref(), Some("c.jpg"), "the one beside counts");
    }
}
