//! Names, removal and movement.

use std::collections::{HashMap, HashSet};

use super::pose::{Column, with_negative_w};
use super::rescue::LISTS;
use super::types::{EXTENSIONS, format_name, type_name};
use super::{Anim, Bounds, CUSTOM, Iqm, MAX_NAME, VertexData, is_image};
use crate::check::common::field_path;
use crate::edit::{Entity, Name, Named, RemovedNames, Rigid, corners, scale_lengths, unsupported};
use crate::formats::aliases::resolve_all;
use crate::hierarchy::roots;
use crate::scene::unit_or_nan;
use crate::schema::{ElementNames, IsAlias, Schema, Step, VisitLocation, set_each, unescape};
use crate::wire::{FixedLenList, List, Placed, escape};
use crate::{Budget, Error, ErrorKind, FieldPath, File, Result, work};

impl Named for Iqm {
    fn names(&self) -> Result<Vec<Name>> {
        let fields = self.name_fields();
        let names = |(path, offset): (FieldPath, u32)| {
            let text = self.text(offset);
            let entities: &[_] = match path.steps() {
                _ if text.is_empty() => &[],
                [_, Step::Field(list), ..] if list == "joints" => &[Entity::Bone],
                [_, Step::Field(list), ..] if list == "anims" => &[Entity::Clip],
                [.., Step::Field(field)] if field == "material" && is_image(text) => {
                    &[Entity::Material, Entity::Texture]
                }
                [.., Step::Field(field)] if field == "material" => &[Entity::Material],
                _ => &[],
            };
            entities.iter().map(move |own| Name::new(*own, *own != Entity::Texture, path.clone(), text))
        };
        Ok(fields.into_iter().flat_map(names).collect())
    }

    /// Names are offsets, and several fields can share one: new names are appended to the text. A former name that is the last
    /// text, and that no field has any more, is removed.
    fn set_names(&mut self, edits: &[(FieldPath, String)]) -> Result<()> {
        let paths: HashSet<_> = edits.iter().map(|(path, _)| path).collect();
        let former = self.name_fields().into_iter().filter(|(path, _)| paths.contains(path));
        let mut former: Vec<_> = former.map(|(_, offset)| offset).collect();
        let mut text = Text::of(&self.sections.text.0);
        let mut offsets = Vec::new();
        for (path, name) in edits {
            let name = unescape(name).map_err(|why| unsupported(&why.to_string()))?;
            if name.contains(&0) || name.len() > MAX_NAME {
                return Err(unsupported(&format!("a name has at most {MAX_NAME} bytes, and no NUL")));
            }
            // The parts after it stay where numbers can be read.
            offsets.push((path.clone(), text.add(&name, 4).to_string()));
        }
        if text.bytes.len() > self.sections.text.0.len() {
            if !self.sections.text.is_laid_out() {
                self.sections.text = Placed::default();
            }
            self.sections.text.0 = text.bytes;
        }
        set_each(self, &offsets, true)?;
        former.sort_unstable();
        former.dedup();
        self.remove_last_texts(former);
        Ok(())
    }
}

/// The names of a file, each once. The first one is empty.
#[derive(Default)]
pub(super) struct Text {
    pub bytes: Vec<u8>,
    known: HashMap<Vec<u8>, u32>,
}

impl Text {
    /// Reads the texts that begin after a NUL: a name is never the end of another one.
    fn of(bytes: &[u8]) -> Self {
        let mut text = Self { bytes: bytes.to_vec(), ..Self::default() };
        let mut offset = 0_u32;
        for own in bytes.split_inclusive(|byte| *byte == 0) {
            if let [name @ .., 0] = own
                && (offset > 0 || name.is_empty())
            {
                text.known.entry(name.to_vec()).or_insert(offset);
            }
            offset = offset.saturating_add(u32::try_from(own.len()).unwrap_or(u32::MAX));
        }
        text
    }

    /// Returns the offset of a name. A new one is appended, with zeros up to a multiple of a size.
    pub fn add(&mut self, name: &[u8], to: usize) -> u32 {
        if self.bytes.is_empty() {
            self.bytes.push(0);
            self.known.insert(Vec::new(), 0);
        }
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(name);
        self.bytes.resize(start + (name.len() + 1).next_multiple_of(to), 0);
        let offset = u32::try_from(start).unwrap_or(u32::MAX);
        self.known.insert(name.to_vec(), offset);
        offset
    }
}

/// Resolves paths that begin with a list, as `joints` for `sections.joints`, or that select from it by names.
pub(super) fn aliases(
    file: &Iqm,
    paths: &[FieldPath],
    budget: &Budget,
    visit: &mut VisitLocation<'_>,
) -> Vec<IsAlias> {
    let mut lists = HashMap::new();
    resolve_all(file, paths, budget, |path| canonical(file, path, &mut lists), visit)
}

/// The names in a list, if it has any: how many, and which ones.
type ListNames = Option<(Vec<Option<String>>, ElementNames)>;

fn canonical(
    file: &Iqm,
    path: &FieldPath,
    lists: &mut HashMap<Vec<Step>, ListNames>,
) -> Option<Result<Vec<FieldPath>>> {
    let mut steps = path.steps().to_vec();
    let is_short = matches!(steps.first()?, Step::Field(name) if LISTS.contains(&&**name));
    if is_short {
        steps.insert(0, Step::from("sections"));
    }
    let is_named = matches!(steps.get(2), Some(Step::Named(..) | Step::Matching(_)));
    let read = || Some((names(file, &steps[..2])?, ElementNames::default()));
    let selectable =
        is_named.then(|| lists.entry(steps[..2].to_vec()).or_insert_with(read).as_ref()).flatten();
    let Some((names, known)) = selectable else { return is_short.then(|| Ok(vec![steps.into()])) };
    let selected = steps[2].select_in(names.len(), known, || names.clone());
    let selected = selected.map_err(|why| Error::new(0, ErrorKind::Path(why)).at(path.clone()));
    let other = |index: usize| [&steps[..2], &[Step::Index(index)], &steps[3..]].concat().into();
    Some(selected.map(|all| all.into_iter().flatten().map(other).collect()))
}

/// Returns the name by which paths reach a list.
pub(super) fn short(_: &Iqm, list: &[Step]) -> Option<FieldPath> {
    let [Step::Field(sections), Step::Field(name)] = list else { return None };
    (sections == "sections" && LISTS.contains(&&**name)).then(|| vec![list[1].clone()].into())
}

/// Returns the names of the elements of a list: offsets in the text, which the definition does not follow.
pub(super) fn names(file: &Iqm, list: &[Step]) -> Option<Vec<Option<String>>> {
    let fields = file.name_fields();
    let name = Step::from("name");
    let is_own =
        |path: &FieldPath| matches!(path.steps().strip_prefix(list), Some([_, field]) if *field == name);
    let own = fields.iter().filter(|(path, _)| is_own(path));
    let name = |offset: u32| Some(escape(file.text(offset))).filter(|name| !name.is_empty());
    let names: Vec<_> = own.map(|(_, offset)| name(*offset)).collect();
    (!names.is_empty()).then_some(names)
}

impl Iqm {
    /// Returns the text at an offset, up to its NUL, of at most [`MAX_NAME`] bytes: many names can have one text.
    #[must_use]
    pub fn text(&self, offset: u32) -> &[u8] {
        let text = self.sections.text.0.get(offset as usize..).unwrap_or_default();
        text[..text.len().min(MAX_NAME)].split(|byte| *byte == 0).next().unwrap_or_default()
    }

    /// Removes texts at the end that no field has any more, from those at these ascending offsets.
    fn remove_last_texts(&mut self, offsets: Vec<u32>) {
        let names = self.name_fields().into_iter().map(|(_, name)| name);
        let last_used = names.filter(|name| (*name as usize) < self.sections.text.0.len()).max();
        let own = &mut self.sections.text.0;
        for offset in offsets.into_iter().rev().take_while(|offset| last_used < Some(*offset)) {
            let rest = own.get(offset as usize..).unwrap_or_default();
            let is_last = rest.split(|byte| *byte == 0).skip(1).all(<[u8]>::is_empty);
            if is_last && rest.len().is_multiple_of(4) {
                own.truncate(offset as usize);
            }
        }
    }

    /// Returns the fields that contain names, with the offsets of the names.
    pub(super) fn name_fields(&self) -> Vec<(FieldPath, u32)> {
        let parts = &self.sections;
        let field = |list: &'static str, at: usize, field: &'static str, name: u32| {
            (field_path!["sections", list, at, field], name)
        };
        let mut fields = Vec::new();
        for (at, own) in parts.meshes.iter().enumerate() {
            fields.push(field("meshes", at, "name", own.name));
            fields.push(field("meshes", at, "material", own.material));
        }
        fields.extend(parts.joints.iter().enumerate().map(|(at, own)| field("joints", at, "name", own.name)));
        fields.extend(parts.anims.iter().enumerate().map(|(at, own)| field("anims", at, "name", own.name)));
        let custom = parts.vertex_arrays.iter().map(|own| own.kind.checked_sub(CUSTOM)).enumerate();
        fields.extend(custom.filter_map(|(at, name)| Some(field("vertex_arrays", at, "kind", name?))));
        let extensions = EXTENSIONS.into_iter().step_by(2).zip(self.extensions());
        fields.extend(extensions.map(|(part, own)| (field_path!["sections", part, "name"], own.name)));
        fields
    }
}

/// Removes animations with their frames.
pub(in crate::formats) fn remove_many(
    files: &mut [File],
    entity: Entity,
    removed_names: &mut RemovedNames,
) -> Result<()> {
    for file in files.iter_mut().filter(|_| entity == Entity::Clip) {
        if let File::Iqm(file) = file {
            file.remove_anims(removed_names)?;
        }
    }
    Ok(())
}

/// Refuses to remove other objects. Bones stay: their poses and the poses of their children depend on each other.
pub(in crate::formats) fn remove(files: &mut [File], entity: Entity, name: &[u8]) -> Result<usize> {
    for file in files.iter().filter(|_| entity != Entity::Clip) {
        let File::Iqm(file) = file else { continue };
        if file.names()?.iter().any(|own| own.entity == entity && own.text == name) {
            let why = format!("{entity} \"{}\": only clips can be removed from iqm files", escape(name));
            return Err(unsupported(&why));
        }
    }
    Ok(0)
}

impl Iqm {
    /// Refuses an edit that moved data whose place is not known.
    fn require_follows(&self) -> Result<()> {
        if self.follows() {
            return Ok(());
        }
        Err(unsupported("the file has more vertex arrays or extensions than can follow when parts move"))
    }

    /// Removes animations, and the frames that no other animation has.
    fn remove_anims(&mut self, removed_names: &mut RemovedNames) -> Result<()> {
        let is_doomed = |own: &Anim| removed_names.contains(self.text(own.name));
        let (removed, kept): (Vec<_>, Vec<_>) = self.sections.anims.iter().cloned().partition(is_doomed);
        if removed.is_empty() {
            return Ok(());
        }
        let mut columns = self.edited_columns()?;
        for own in &removed {
            removed_names.count(self.text(own.name));
        }
        let [removed, used] = [&removed, &kept].map(|anims| self.frames_of(anims));
        let is_gone: Vec<_> =
            removed.iter().zip(used).map(|(is_removed, is_used)| *is_removed && !is_used).collect();
        let mut num_gone = 0;
        let gone_before = is_gone.iter().map(|own| {
            let before = num_gone;
            num_gone += u32::from(*own);
            before
        });
        let gone_before: Vec<_> = gone_before.collect();
        *self.sections.anims = List::from(kept);
        if num_gone > 0 {
            for own in &mut columns {
                own.remove_frames(&is_gone);
            }
            for own in self.sections.anims.iter_mut() {
                own.first_frame -= gone_before.get(own.first_frame as usize).unwrap_or(&num_gone);
            }
            if self.sections.bounds.is_laid_out() {
                let mut is_gone = is_gone.iter();
                let bounds = self.sections.bounds.iter().filter(|_| is_gone.next() != Some(&true));
                self.sections.bounds = FixedLenList::from(bounds.cloned().collect::<Vec<_>>()).into();
            }
            self.set_columns(columns, self.num_frames - num_gone);
        }
        self.sections.align(Self::HEAD, 4);
        self.require_follows()
    }

    /// Returns for each frame whether one of these animations has it.
    fn frames_of(&self, anims: &[Anim]) -> Vec<bool> {
        let num_frames = self.num_frames as usize;
        work::done(num_frames);
        let mut steps = vec![0_isize; num_frames + 1];
        for frames in anims.iter().map(|own| own.frames(self.num_frames)) {
            steps[frames.start] += 1;
            steps[frames.end] -= 1;
        }
        let depths = steps[..num_frames].iter().scan(0, |depth, step| {
            *depth += step;
            Some(*depth > 0)
        });
        depths.collect()
    }
}

pub(in crate::formats) fn scale(file: &mut File, factor: f32, budget: &Budget) -> Result<()> {
    if let File::Iqm(own) = &*file {
        own.require_floats()?;
    }
    scale_lengths(file, factor, budget)
}

pub(in crate::formats) fn transform(files: &mut [File], motion: Rigid, _: &Budget) -> Result<()> {
    for file in files {
        if let File::Iqm(file) = file {
            file.transform(motion)?;
        }
    }
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "other families can refuse")]
pub(in crate::formats) fn retime(file: &mut File, rate: f32) -> Result<bool> {
    let File::Iqm(file) = file else { return Ok(false) };
    file.sections.anims.iter_mut().for_each(|own| own.framerate = rate);
    Ok(true)
}

impl Iqm {
    /// Refuses positions and directions that are not in the recommended formats: they would stay where they are.
    fn require_floats(&self) -> Result<()> {
        use VertexData::{Normals, Positions, Tangents};
        for (array, data) in self.sections.arrays().filter(|(array, _)| matches!(array.kind, 0 | 2 | 3)) {
            if !matches!(data, Positions(_) | Normals(_) | Tangents(_)) && data.component(0).is_some() {
                let (kind, format) = (type_name(array.kind), format_name(array.format));
                let why = format!("the vertex array {kind} has the format {format}; only floats move");
                return Err(unsupported(&why));
            }
        }
        Ok(())
    }

    fn transform(&mut self, motion: Rigid) -> Result<()> {
        self.require_floats()?;
        for (_, data) in self.sections.arrays_mut() {
            match data {
                VertexData::Positions(own) => own.iter_mut().for_each(|own| *own = motion.point(*own)),
                VertexData::Normals(own) => own.iter_mut().for_each(|own| *own = motion.direction(*own)),
                VertexData::Tangents(own) => own.iter_mut().for_each(|own| *own = motion.tangent(*own)),
                _ => {}
            }
        }
        let is_root = self.are_roots();
        let joints = self.sections.joints.iter_mut().zip(&is_root);
        for (own, _) in joints.filter(|(_, is_root)| **is_root) {
            (own.translate, own.rotate) = moved(own.translate, own.rotate, motion);
        }
        if !self.sections.poses.is_empty() {
            self.transform_poses(&is_root, motion)?;
        }
        self.sections.bounds.iter_mut().for_each(|own| *own = around(own, motion));
        Ok(())
    }

    /// Returns for each joint whether it is a root in scenes; for each pose of a file without joints.
    fn are_roots(&self) -> Vec<bool> {
        let joints: Vec<_> = self.sections.joints.iter().map(|own| own.parent).collect();
        let poses = self.sections.poses.iter().map(|own| own.parent);
        let parents = if joints.is_empty() { poses.collect() } else { joints };
        roots(parents.into_iter().map(|own| usize::try_from(own).ok()))
    }

    /// Moves the poses of roots, whose channels get other steps.
    fn transform_poses(&mut self, is_root: &[bool], motion: Rigid) -> Result<()> {
        if self.rest.truncation().is_some() {
            return Err(unsupported("the poses of a truncated file cannot be transformed"));
        }
        let mut columns = self.edited_columns()?;
        for (own, _) in columns.iter_mut().zip(is_root).filter(|(_, is_root)| **is_root) {
            let mut channels = own.channels(0..self.num_frames as usize);
            if channels.is_empty() {
                continue;
            }
            for frame in &mut channels {
                let [tx, ty, tz, rx, ry, rz, rw, ..] = *frame;
                let (translate, rotate) = moved([tx, ty, tz], [rx, ry, rz, rw], motion);
                frame[..3].copy_from_slice(&translate);
                frame[3..7].copy_from_slice(&rotate);
            }
            *own = Column::new(own.pose.parent, &channels);
        }
        self.set_columns(columns, self.num_frames);
        self.sections.align(Self::HEAD, 4);
        self.require_follows()
    }
}

/// Moves a translation and a rotation. One of length zero is the identity, as in scenes.
fn moved(translate: [f32; 3], rotate: [f32; 4], motion: Rigid) -> ([f32; 3], [f32; 4]) {
    let rotation = unit_or_nan(glam::Quat::from_array(rotate));
    let moved = motion.then(Rigid::new(translate, rotation));
    (moved.translation.into(), with_negative_w(moved.rotation))
}

/// The box around a moved one.
fn around(own: &Bounds, motion: Rigid) -> Bounds {
    let corners = corners(own.min, own.max).map(|corner| motion.point(corner).into());
    Bounds::around(corners).unwrap_or_else(|| own.clone())
}
