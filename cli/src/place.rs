//! The paths of results whose names are not those that the user gave.

use std::path::{Component, Path, PathBuf};

use super::exit::{Exit, Failure};
use super::files::shown;
use bindpose::scene::SafeName;

/// The path of a file in a directory whose name comes from the contents of a file. A link of this name is not followed: it was
/// not the user who chose where it leads.
pub(super) fn inside(directory: &Path, name: &SafeName) -> Result<PathBuf, Failure> {
    let path = name.inside(directory);
    refuse_link(&path)?;
    Ok(path)
}

/// The path of a file below a directory, by that of its input below another one. Links below the directory are not followed.
pub(super) fn below(directory: &Path, relative: &Path) -> Result<PathBuf, Failure> {
    let mut path = directory.to_owned();
    for component in relative.components() {
        let Component::Normal(step) = component else {
            let why = format!("leads out of {}", shown(directory));
            return Err(Failure::new(Exit::Usage, why).of(shown(relative)));
        };
        path.push(step);
        refuse_link(&path)?;
    }
    Ok(path)
}

fn refuse_link(path: &Path) -> Result<(), Failure> {
    if path.is_symlink() {
        let why = "is a link, which is not followed: the path comes from the input";
        return Err(Failure::new(Exit::Io, why).of(shown(path)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn links_below_the_directory_of_results_are_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (out, victim) = (folder.path().join("out"), folder.path().join("victim"));
        for directory in [&out, &victim] {
            std::fs::create_dir(directory).expect("a folder");
        }
        std::os::unix::fs::symlink(&victim, out.join("a")).expect("a link");
        std::os::unix::fs::symlink(victim.join("b"), out.join("dangling")).expect("a link");
        assert!(below(&out, Path::new("a/hero.psk")).is_err());
        assert!(below(&out, Path::new("../hero.psk")).is_err());
        assert!(inside(&out, &SafeName::whole("dangling")).is_err());
        assert!(below(&out, Path::new("b/hero.psk")).is_ok());
        assert!(inside(&out.join("a"), &SafeName::whole("hero.psk")).is_ok(), "the user named the link");
    }
}
