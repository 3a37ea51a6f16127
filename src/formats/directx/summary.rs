//! Summaries of `.x` files.

use super::scene::MAX_FRAMES;
use super::ticks::Ticks;
use super::{
    Animation, AnimationKey, AnimationSet, Frame, Material, Mesh, Object, Objects, Tokens, View as _, X,
};
use crate::codec::{Bounds, ClipInfo, CommentInfo, FileSummary, SkeletonInfo};
use crate::formats::Writer;
use crate::text::TokenKind;
use crate::wire::escape;

pub(super) fn summary(file: &X) -> FileSummary {
    let version = Some(format!("{} {}", file.version, file.encoding.to_string().trim_end()));
    let Ok(objects) = file.objects() else { return FileSummary { version, ..FileSummary::default() } };
    let (mut num_meshes, mut num_vertices, mut num_faces) = (0, 0, 0);
    let meshes = objects.views::<Mesh>().filter_map(Result::ok).inspect(|mesh| {
        num_meshes += 1;
        num_vertices += mesh.vertices.len();
        num_faces += mesh.faces.len();
    });
    let bounds = Bounds::around(meshes.flat_map(|mesh| mesh.vertices));
    let counts = [
        ("meshes", num_meshes),
        ("vertices", num_vertices),
        ("faces", num_faces),
        ("materials", objects.all().filter(|object| object.is(Material::TEMPLATE)).count()),
    ];
    let ticks = Ticks::of(&objects);
    FileSummary {
        version,
        counts: counts.map(|(name, count)| (name.to_owned(), count)).into(),
        skeleton: skeleton(&objects),
        clips: objects
            .all()
            .filter(|object| object.is(AnimationSet::TEMPLATE))
            .map(|set| clip(set, ticks))
            .collect(),
        bounds,
        comments: comments(file),
    }
}

/// The comments of a text that have words: many are lines or numbers of vertices.
fn comments(file: &X) -> Vec<CommentInfo> {
    let Some(Tokens::Text(text)) = file.content() else { return Vec::new() };
    let comments = text.iter().filter(|token| token.kind == TokenKind::Comment);
    let words = comments.map(|token| token.bytes.trim_ascii_end().trim_ascii_start());
    let words = words.map(|bytes| {
        let start = bytes.iter().position(|byte| !b"/#".contains(byte)).unwrap_or(bytes.len());
        bytes[start..].trim_ascii()
    });
    let words = words.filter(|words| words.iter().any(u8::is_ascii_alphabetic));
    words.map(|words| CommentInfo { about: String::new(), text: escape(words) }).collect()
}

/// The number of bytes that contain the first comments and names.
const START: usize = 4096;

macro_rules! writers {
    ($($name:literal, $by:literal, $differs:literal, $source:literal, $marks:expr;)+) => {
        /// The programs that leave certain marks.
        pub(super) const WRITERS: &[&Writer] =
            &[$(&Writer { name: $name, recognised_by: $by, differs: $differs, source: $source }),+];

        /// What each writes at the beginning of a text.
        const MARKS: &[&[&str]] = &[$(&$marks),+];
    };
}

writers! {
    "3D World Studio", "a comment with its name", "nothing known", "18 real files",
        ["made with 3D World Studio"];
    "3D Canvas", "a comment with its name", "nothing known", "real files", ["Created by 3D Canvas"];
    "DodgeeSoftware's DirectX Model Exporter", "a comment with its name", "nothing known", "real files",
        ["Created by DodgeeSoftware"];
    "conv3ds", "names of objects begin with `x3ds_`", "no `AnimTicksPerSecond`; the clip of a static model has one key at 0", "23 real files", [" x3ds_"];
    "Blender", "the frame `Root`, and a comment with its name in meshes", "nothing known", "real files", ["Frame Root {", "Mesh { //"];
}

/// The program that wrote the file, if it names itself or its objects.
pub(super) fn writer(file: &X) -> Option<&'static str> {
    let Some(Tokens::Text(text)) = file.content() else { return None };
    let start = &text.text()[..text.text().len().min(START)];
    let is_in = |mark: &str| memchr::memmem::find(start, mark.as_bytes()).is_some();
    let found = MARKS.iter().position(|marks| marks.iter().all(|mark| is_in(mark)))?;
    Some(WRITERS[found].name)
}

fn skeleton(objects: &Objects<'_>) -> Option<SkeletonInfo> {
    let bones = objects.all().filter(|object| object.is(Frame::TEMPLATE)).count();
    let roots = objects.roots().filter(|object| object.is(Frame::TEMPLATE)).take(MAX_FRAMES);
    (bones > 0).then(|| SkeletonInfo { bones, roots: roots.map(|root| escape(root.name())).collect() })
}

fn clip(set: Object<'_>, ticks: Ticks) -> ClipInfo {
    let keys = set
        .children_of(Animation::TEMPLATE)
        .flat_map(|animation| animation.children_of(AnimationKey::TEMPLATE));
    let last = keys.filter_map(|key| key.view::<AnimationKey>()?.ok()?.keys.times.into_iter().max()).max();
    let name = escape(set.name());
    if matches!(ticks, Ticks::Frames) {
        return ClipInfo { name, frames: last.map(|last| i64::from(last) + 1), rate: None, seconds: None };
    }
    #[expect(clippy::cast_precision_loss, reason = "times are for display only")]
    let seconds = last.map(|last| last as f32 / ticks.per_second());
    ClipInfo { name, frames: None, rate: None, seconds }
}
