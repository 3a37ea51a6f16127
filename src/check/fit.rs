//! Which skeleton an animation fits.

use crate::scene::{self, Names};
use crate::{File, Result};

/// The bones that a mesh or a skeleton has, or that an animation moves.
///
/// PSA and UNIGINE animations refer to bones by name; Cal3D and 3ds Max animations by index. Files of other formats contain
/// the bones of their own animations.
///
/// ```
/// use bindpose::FileKind;
/// use bindpose::check::BoneList;
/// let (mut mesh, mut animation) = (FileKind::UnigineMesh.blank(), FileKind::UnigineAnim.blank());
/// for (file, names) in [(&mut mesh, ["hip", "Knee"]), (&mut animation, ["knee", "tail"])] {
///     for (index, name) in names.into_iter().enumerate() {
///         file.append("bones")?;
///         file.set(&format!("bones[{index}].name"), name)?;
///     }
/// }
/// let (Some(mesh), Some(animation)) = (BoneList::of(&mesh)?, BoneList::of(&animation)?) else { unreachable!() };
/// let fit = animation.fit(&mesh).expect("files of one family");
/// assert_eq!((fit.matched, fit.total, fit.ignoring_case), (1, 2, 1));
/// assert_eq!(fit.missing_in_mesh, ["tail"]);
/// assert_eq!(fit.missing_in_animation, ["hip"]);
/// # Ok::<(), bindpose::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BoneList {
    family: &'static str,
    bones: ListedBones,
}

/// The bones of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ListedBones {
    /// The bones of a mesh or a skeleton.
    Defined(Vec<String>),
    /// The names of the bones that an animation moves.
    Names(Vec<String>),
    /// The indices of the bones that an animation moves.
    Indices(Vec<i64>),
}

impl ListedBones {
    /// The bones of a mesh or a skeleton with these names.
    pub(crate) fn defined<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> Self {
        Self::Defined(names.into_iter().map(scene::name).collect())
    }

    /// The bones with these names, which an animation moves.
    pub(crate) fn named<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> Self {
        Self::Names(names.into_iter().map(scene::name).collect())
    }
}

/// How an animation fits a mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Fit {
    /// The number of bones of the animation that the mesh has.
    pub matched: usize,
    /// The number of bones of the animation.
    pub total: usize,
    /// How many of the matched bones have names that differ in case or trailing spaces.
    pub ignoring_case: usize,
    /// The bones of the animation that the mesh does not have. A bone without a name is `bone 7`.
    pub missing_in_mesh: Vec<String>,
    /// The bones of the mesh that the animation does not move.
    pub missing_in_animation: Vec<String>,
}

impl Fit {
    /// Returns whether the mesh has all bones of the animation.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.missing_in_mesh.is_empty()
    }
}

impl BoneList {
    /// Returns the bones of a file; none if its format has no animations in separate files, or it is a mesh without bones.
    ///
    /// # Errors
    /// If the text of a Cal3D file cannot be interpreted.
    pub fn of(file: &File) -> Result<Option<Self>> {
        let Some(bones) = file.bones()? else { return Ok(None) };
        let is_empty = matches!(&bones, ListedBones::Defined(names) if names.is_empty());
        Ok((!is_empty).then(|| Self { family: file.kind().family(), bones }))
    }

    /// Returns whether these are the bones that an animation moves.
    #[must_use]
    pub const fn is_animation(&self) -> bool {
        !matches!(self.bones, ListedBones::Defined(_))
    }

    /// Returns the number of bones.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.bones {
            ListedBones::Defined(names) | ListedBones::Names(names) => names.len(),
            ListedBones::Indices(indices) => indices.len(),
        }
    }

    /// Returns whether there are no bones: an animation that moves nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Compares an animation with a mesh; none if they are not an animation and a mesh or skeleton of one family.
    ///
    /// Names match exactly, otherwise ignoring case and trailing spaces.
    #[must_use]
    pub fn fit(&self, mesh: &Self) -> Option<Fit> {
        let ListedBones::Defined(own) = &mesh.bones else { return None };
        if self.family != mesh.family {
            return None;
        }
        let targets: Vec<_> = match &self.bones {
            ListedBones::Defined(_) => return None,
            ListedBones::Names(names) => {
                let known = Names::new(own.iter().map(String::as_str));
                known.pair(names.iter().map(String::as_str))
            }
            ListedBones::Indices(indices) => {
                let known = |index: &i64| usize::try_from(*index).ok().filter(|index| *index < own.len());
                indices.iter().map(known).collect()
            }
        };
        let mut moved = vec![false; own.len()];
        let mut fit = Fit { total: targets.len(), ..Fit::default() };
        for (at, target) in targets.into_iter().enumerate() {
            let Some(bone) = target else {
                fit.missing_in_mesh.push(self.name(at));
                continue;
            };
            fit.matched += 1;
            moved[bone] = true;
            let differs = matches!(&self.bones, ListedBones::Names(names) if names[at] != own[bone]);
            fit.ignoring_case += usize::from(differs);
        }
        let still = own.iter().zip(moved).filter(|(_, moved)| !moved);
        fit.missing_in_animation = still.map(|(name, _)| name.clone()).collect();
        Some(fit)
    }

    fn name(&self, at: usize) -> String {
        match &self.bones {
            ListedBones::Defined(names) | ListedBones::Names(names) => names[at].clone(),
            ListedBones::Indices(indices) => format!("bone {}", indices[at]),
        }
    }
}
