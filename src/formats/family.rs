//! The families of formats, and the rules of all of them.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use super::{FAMILIES, File, FileKind, Writer};
use crate::check::{self, Findings, Report, Rule};
use crate::edit::{Entity, RemovedNames, Rigid, scale_lengths};
use crate::scene::Space;
use crate::schema::VisitReference;
use crate::{Budget, Result};

/// The rules that the formats of one module share.
pub(crate) struct Family {
    /// The axes and the unit of the formats.
    pub space: Space,
    /// The rules of a valid file.
    pub rules: &'static [&'static Rule],
    /// The programs that write the formats.
    pub writers: &'static [&'static Writer],
    /// Checks references between files; none where every file is complete in itself.
    pub check_set: Option<CheckSet>,
    /// Checks files against those that they name; none where they name none.
    pub check_references: Option<CheckReferences>,
    /// Removes the objects with a name from the files of the family, and lets those of a set follow.
    pub remove: Remove,
    /// Removes all objects with some names at once; those that it leaves are removed by `remove`.
    pub remove_many: RemoveMany,
    /// Multiplies the lengths in a file of the family.
    pub scale: fn(&mut File, f32, &Budget) -> Result<()>,
    /// Rotates and moves the files of the family.
    pub transform: fn(&mut [File], Rigid, &Budget) -> Result<()>,
    /// Sets the frame rate of a file; returns whether its format has one.
    pub retime: fn(&mut File, f32) -> Result<bool>,
    /// Gives a file that is written from a part of another one the references to other files that a scene does not have.
    pub keep_references: fn(&mut File, &File),
    /// Visits the references by index that the definitions of values do not state: those of objects in text.
    pub references: fn(&File, &mut VisitReference<'_>) -> ControlFlow<()>,
    /// As `retime`; clips keep their length.
    pub resample: fn(&mut File, f32, &Budget) -> Result<bool>,
    /// Adds the clips or meshes of a file of the same format; returns whether files of the format can be merged.
    pub merge: fn(&mut File, &File) -> Result<bool>,
    /// Returns the magic of a file that is newer than the formats, and the newest that they have.
    pub newer: fn(&[u8]) -> Option<(String, String)>,
    /// The formats of files that belong to one beside them with the same name: its format, theirs, and what they add.
    pub sidecars: &'static [(FileKind, FileKind, &'static str)],
    /// The keys of the lines in a list of the files of a model, with the format of the files.
    pub listed: &'static [(&'static str, FileKind)],
    /// What visits the objects of a file; none where these are those of its scene.
    #[cfg(feature = "files")]
    pub objects: for<'f> fn(&'f File) -> Option<Box<crate::tree::Objects<'f>>>,
}

impl Family {
    /// A family whose files are complete in themselves and have no clips.
    pub const DEFAULT: Self = Self {
        space: Space::RIGHT_Y_UP,
        rules: &[],
        writers: &[],
        check_set: None,
        check_references: None,
        remove: |_, _, _| Ok(0),
        remove_many: |_, _, _| Ok(()),
        scale: scale_lengths,
        transform: |_, _, _| Ok(()),
        retime: |_, _| Ok(false),
        keep_references: |_, _| {},
        references: |_, _| ControlFlow::Continue(()),
        resample: |_, _, _| Ok(false),
        merge: |_, _| Ok(false),
        newer: |_| None,
        sidecars: &[],
        listed: &[],
        #[cfg(feature = "files")]
        objects: |_| None,
    };
}

/// Returns the number of objects that were removed.
type Remove = fn(&mut [File], Entity, &[u8]) -> Result<usize>;

type RemoveMany = fn(&mut [File], Entity, &mut RemovedNames) -> Result<()>;

/// Adds each finding to the file that it is in.
type CheckSet = fn(&[&File], &mut [Findings]);

/// As [`CheckSet`], of files with their names; an empty name is unknown.
type CheckReferences = fn(&[(&str, &File)], &mut [Findings]);

/// Checks related files as a set: a mesh, its skeleton, its animations. Returns a report for each file, with at most
/// `most` findings per rule.
///
/// ```
/// use bindpose::codec::Format;
/// use bindpose::formats::{check_set, max};
/// let skeleton = bindpose::File::from(max::Skeleton::blank_file());
/// let frames = max::Frames::M52(vec![max::Matrix52::default()].into());
/// let animation = max::Animation { num_frames: 1, matrices: frames, ..max::Animation::blank_file() };
/// let animation = bindpose::File::from(animation);
/// let reports = check_set(&[&skeleton, &animation], 10);
/// assert_eq!(reports[1].findings[0].rule.code, "max/set-bone-count");
/// ```
#[must_use]
pub fn check_set(files: &[&File], most: usize) -> Vec<Report> {
    let unnamed: Vec<_> = files.iter().map(|file| ("", *file)).collect();
    check_named_set(&unnamed, most)
}

/// As [`check_set`], for files with their names: references by file name are checked too, unless a name is unknown, that is, empty.
#[must_use]
pub fn check_named_set(files: &[(&str, &File)], most: usize) -> Vec<Report> {
    let bare: Vec<_> = files.iter().map(|(_, file)| *file).collect();
    let mut findings: Vec<_> = files.iter().map(|_| Findings::new(most)).collect();
    for family in FAMILIES {
        if let Some(check_set) = family.check_set {
            check_set(&bare, &mut findings);
        }
        if let Some(check_references) = family.check_references {
            check_references(files, &mut findings);
        }
    }
    bare.iter().zip(findings).map(|(file, findings)| findings.report(file.value())).collect()
}

impl Rule {
    /// Returns every rule, family by family.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        check::general_rules().chain(FAMILIES.iter().flat_map(|family| family.rules)).copied()
    }

    /// Returns the reasons why a file cannot be checked. They are reported like rules, but cannot be ignored or given
    /// another severity.
    pub fn of_files() -> impl Iterator<Item = &'static Self> {
        check::file_rules().iter().copied()
    }

    /// Returns the rules for formats of other crates, which follow from their definitions: see
    /// [`examine_format`](crate::examine_format).
    pub fn of_own_formats() -> impl Iterator<Item = &'static Self> {
        check::own_rules().iter().copied()
    }

    /// Returns the rules with violations that can be repaired: see [`Repair`](crate::check::Repair).
    pub fn fixable() -> impl Iterator<Item = &'static Self> {
        Self::all().filter(|rule| rule.fixable)
    }

    /// Returns the rule with this code.
    #[must_use]
    pub fn named(code: &str) -> Option<&'static Self> {
        Self::all().chain(Self::of_own_formats()).chain(Self::of_files()).find(|rule| rule.code == code)
    }

    /// Returns a page of all rules, in Markdown.
    #[must_use]
    pub fn page() -> String {
        let mut page = String::from(PREFACE);
        let mut family = "";
        for rule in Self::all().chain(Self::of_own_formats()).chain(Self::of_files()) {
            if rule.family() != family {
                family = rule.family();
                let _ = write!(page, "\n## {family}\n");
            }
            let Self { code, severity, summary, why, source, example, .. } = rule;
            let _ = write!(
                page,
                "\n### `{code}`\n\n*{severity}.* {summary}\n\n{why}\n\nSource: {source}\n\n```text\n{example}\n```\n"
            );
        }
        page
    }
}

const PREFACE: &str = "\
# Rules

The rules that `bindpose check` applies: code, severity, what is wrong, why it matters and how tools react, the source of the
rule, and an example finding. Rules of the family `any` apply to files of every format. Rules called `set-` apply to files that
are checked as a set. Those of `own` apply to formats that are described in another crate, and follow from their definitions. The
family `check` reports files that could not be checked; it cannot be ignored.

This page is generated by `BLESS=1 cargo test rules`.
";
