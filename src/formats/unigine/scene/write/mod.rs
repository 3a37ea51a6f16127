//! Writes scenes as UNIGINE files.
//!
//! Bones, positions and texture coordinates are exact up to the rounding of floats. Weights are multiples of 1/65535,
//! and colours have 8 bits. Normals and tangents are quaternions of 16 bits whose w is kept away from 0: they are up to
//! 0.3 degrees off, in ms10 up to 2 degrees. Keys of an11 are exact. In an10, positions and scales are multiples of
//! 1/65535 of their range, and rotations have 16 bits.

mod anim;
mod mesh;
mod tree;

use super::super::{Anim10, Anim11, Bone, MESH_VERSIONS, Mesh14, Name, Transform};
use super::SPACE;
use crate::scene::author::{Author, AuthorError, NameRules};
use crate::scene::{Skeleton, Space};
use crate::schema::Schema;

const BONES: &str = "remove bones, or choose another format, such as psk";

/// Names, without a limit that is known.
const fn names(what: &'static str) -> NameRules {
    NameRules { what, most: 255, unique: true, ignore_case: false, allows: |byte| byte != 0 }
}

/// The bones of a file: parents precede their children.
struct Rig {
    bones: Vec<Bone>,
    transforms: Vec<Transform>,
    /// The index in the file of each bone of the scene.
    places: Vec<i16>,
}

impl Rig {
    fn new(own: &Skeleton, author: &mut Author<'_>) -> Result<Self, AuthorError> {
        let most = usize::from(i16::MAX.unsigned_abs());
        author.limit("bones", own.bones().len(), most, BONES)?;
        let space = author.space(SPACE);
        let fitted = author.fit_names(names("bone"), own.bones().iter().map(|bone| &*bone.name));
        let mut places = vec![-1; own.bones().len()];
        for (place, bone) in (0..).zip(own.order()) {
            places[*bone] = place;
        }
        let bone = |index: &usize| Bone {
            name: Name::new(&fitted[*index]),
            parent: own.bones()[*index].parent.map_or(-1, |parent| places[parent]),
        };
        let transforms = own.order().iter().map(|index| transform(&own.bones()[*index].bind, space));
        Ok(Self { bones: own.order().iter().map(bone).collect(), transforms: transforms.collect(), places })
    }

    /// Returns the index in the file of a bone of the scene.
    fn place(&self, bone: usize) -> i16 {
        self.places.get(bone).copied().unwrap_or(-1)
    }
}

fn transform(own: &crate::scene::Transform, space: Space) -> Transform {
    let placed = space.transform(own.translation.into(), own.rotation.into(), own.scale.into());
    Transform {
        position: placed.translation.into(),
        rotation: placed.rotation.into(),
        scale: placed.scale.into(),
    }
}

/// Versions of meshes, each with that of the animations of its time; the usual ones first.
const VERSIONS: [(&[u8], &[u8]); 5] = [
    (&MESH_VERSIONS[0], Anim11::MAGIC),
    (Mesh14::MAGIC, Anim11::MAGIC),
    (&MESH_VERSIONS[1], Anim10::MAGIC),
    (&MESH_VERSIONS[2], Anim10::MAGIC),
    (&MESH_VERSIONS[3], Anim10::MAGIC),
];

/// Returns the versions of meshes and animations with the version in the settings, or the usual ones.
fn versions(author: &Author<'_>) -> Result<(&'static [u8], &'static [u8]), AuthorError> {
    let Some(own) = &author.settings().version else { return Ok(VERSIONS[0]) };
    let found = VERSIONS.into_iter().find(|known| [known.0, known.1].contains(&own.as_bytes()));
    found.ok_or_else(|| {
        let meshes = VERSIONS.iter().map(|known| known.0);
        let all = meshes.chain([Anim11::MAGIC, Anim10::MAGIC]).map(String::from_utf8_lossy);
        AuthorError::Version { known: all.collect::<Vec<_>>().join(", ") }
    })
}
