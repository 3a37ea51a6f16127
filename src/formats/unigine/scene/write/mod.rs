//! Writes scenes as UNIGINE files.
//!
//! Bones, positions and texture coordinates are exact up to the rounding of floats. Weights are multiples of 1/65535,
//! and colours have 8 bits. Normals and tangents are quaternions of 16 bits whose w is kept away from 0: they are up to
//! 0.3 degrees off, in ms10 up to 2 degrees. Keys of an11 and an12 are exact. In an10, positions and scales are multiples
//! of 1/65535 of their range, and rotations have 16 bits.

mod anim;
mod mesh;
mod tree;

use super::super::conventions::SPACE;
use super::super::{
    Anim10, Anim11, Anim12, Bone, LongName, MESH_VERSIONS, Mesh14, Mesh15, Name, Reference, SkinnedMesh,
    Transform, UnigineAnim, UnigineMesh, UnigineSkeleton,
};
use crate::codec::Format;
use crate::scene::author::{Author, AuthorError, Authoring, FromScene, NameRules};
use crate::scene::{SafeName, Skeleton, Space};
use crate::schema::Schema;

const BONES: &str = "remove bones, or choose another format, such as psk";

/// Names, without a limit that is known.
const fn names(what: &'static str) -> NameRules {
    NameRules { what, most: 255, unique: true, ignore_case: false, allows: |byte| byte != 0 }
}

/// Names with a length of 32 bits.
const fn long_names(what: &'static str) -> NameRules {
    NameRules { most: i32::MAX.unsigned_abs() as usize - 1, unique: false, ..names(what) }
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
        let fitted = author.fit_names(names("bone"), own.bones().iter().map(|bone| &*bone.name));
        let mut places = vec![-1; own.bones().len()];
        for (place, bone) in (0..).zip(own.order()) {
            places[*bone] = place;
        }
        let bone = |index: &usize| Bone {
            name: Name::new(&fitted[*index]),
            parent: own.bones()[*index].parent.map_or(-1, |parent| places[parent]),
        };
        let bones = own.order().iter().map(bone).collect();
        Ok(Self { bones, transforms: transforms(own, author), places })
    }

    /// Returns the index in the file of a bone of the scene.
    fn place(&self, bone: usize) -> i16 {
        self.places.get(bone).copied().unwrap_or(-1)
    }
}

/// Returns the bind pose of a skeleton in the order of the file.
fn transforms(own: &Skeleton, author: &Author<'_>) -> Vec<Transform> {
    let space = author.space(SPACE);
    own.order().iter().map(|index| transform(&own.bones()[*index].bind, space)).collect()
}

fn transform(own: &crate::scene::Transform, space: Space) -> Transform {
    let placed = space.transform(own.translation.into(), own.rotation.into(), own.scale.into());
    Transform {
        position: placed.translation.into(),
        rotation: placed.rotation.into(),
        scale: placed.scale.into(),
    }
}

/// Versions of the files of one time.
#[derive(Clone, Copy)]
struct Versions {
    /// That of the SDK, if there is only one.
    sdk: Option<&'static str>,
    mesh: &'static str,
    anim: &'static str,
    /// That of the file with the bones that meshes and animations share.
    skeleton: Option<&'static str>,
}

const fn text(magic: &'static [u8]) -> &'static str {
    match std::str::from_utf8(magic) {
        Ok(text) => text,
        Err(_) => panic!("magics are ASCII"),
    }
}

const AN10: &str = text(Anim10::MAGIC);
const AN11: &str = text(Anim11::MAGIC);
const AN12: &str = text(Anim12::MAGIC);
const MS14: &str = text(Mesh14::MAGIC);
const MS15: &str = text(Mesh15::MAGIC);
const SK10: &str = text(SkinnedMesh::MAGIC);
const SN10: &str = text(UnigineSkeleton::MAGIC);

/// The usual ones first. A scene without bones is an ms15, unless its version is specified.
const VERSIONS: [Versions; 7] = [
    Versions { sdk: Some("2.21"), mesh: SK10, anim: AN12, skeleton: Some(SN10) },
    Versions { sdk: Some("2.20"), mesh: MS14, anim: AN11, skeleton: None },
    Versions { sdk: Some("2.19"), mesh: text(&MESH_VERSIONS[0]), anim: AN11, skeleton: None },
    Versions { sdk: None, mesh: MS15, anim: AN12, skeleton: Some(SN10) },
    Versions { sdk: None, mesh: text(&MESH_VERSIONS[1]), anim: AN10, skeleton: None },
    Versions { sdk: None, mesh: text(&MESH_VERSIONS[2]), anim: AN10, skeleton: None },
    Versions { sdk: None, mesh: text(&MESH_VERSIONS[3]), anim: AN10, skeleton: None },
];

impl Versions {
    /// Returns those with the version in the settings, or the usual ones; none if there is no such version.
    fn named(settings: &Authoring) -> Option<Self> {
        let Some(own) = settings.version.as_deref() else { return Some(VERSIONS[0]) };
        let has = |known: &Self| {
            [known.sdk, Some(known.mesh), Some(known.anim), known.skeleton].contains(&Some(own))
        };
        VERSIONS.into_iter().find(has)
    }

    /// As [`named`](Self::named).
    fn of(author: &Author<'_>) -> Result<Self, AuthorError> {
        Self::named(author.settings()).ok_or_else(|| {
            let mut known =
                [UnigineMesh::VERSIONS, UnigineAnim::VERSIONS, UnigineSkeleton::VERSIONS].concat();
            known.extend(VERSIONS.iter().filter_map(|own| own.sdk));
            AuthorError::Version { known: known.join(", ") }
        })
    }
}

/// Whether the files have a skeleton of their own, whose pose is that of the skins: meshes of this version store the pose without an
/// animation beside it.
fn stores_bind_pose(settings: &Authoring) -> bool {
    Versions::named(settings).is_some_and(|own| own.skeleton.is_some())
}

/// The reference to the skeleton that is written with other files of a scene. It has no GUID, which the engine assigns.
fn skeleton_of(author: &Author<'_>) -> Reference {
    let name = author.settings().skeleton.as_deref().unwrap_or_else(|| author.name());
    let extension = UnigineSkeleton::INFO.extensions[0];
    let file = SafeName::new(name, extension);
    Reference { guid: LongName::new(b""), path: LongName::new(file.as_str().as_bytes()) }
}
