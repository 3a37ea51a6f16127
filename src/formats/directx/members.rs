//! The values of an object, in the order of the file.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::alias::{Found, locations};
use super::syntax::fields::{Counts, Layout};
use super::syntax::objects::{Object, Objects};
use super::syntax::template::{MemberKind, Template};
use super::syntax::values::{Place, ValueError};
use crate::schema::{FieldPath, Role, Step, show_text};
use crate::wire::escape;

/// The values of an object, one after another.
pub(super) struct Members<'a> {
    object: Object<'a>,
    layout: Layout<'a>,
    structs: Vec<Struct<'a>>,
    /// The position of the present value.
    place: Place,
    /// Whether the end of the values, or an invalid one, was found after the present one.
    has_ended: bool,
}

/// An open struct; the first one is the object itself.
struct Struct<'a> {
    template: &'a Template,
    counts: Counts,
    member: usize,
    /// The sizes of the present member and its present element, by dimension; none before its first element.
    element: Option<(Vec<u64>, Vec<u64>)>,
    /// The template of the elements of the present member, once one was entered.
    inner: Option<&'a Template>,
}

impl<'a> Struct<'a> {
    fn new(template: &'a Template) -> Self {
        Self { template, counts: Counts::default(), member: 0, element: None, inner: None }
    }

    /// Goes on to the next element, or to the next member after the last one.
    fn next(&mut self) {
        let Some((sizes, indices)) = &mut self.element else { return };
        for (index, size) in indices.iter_mut().zip(sizes).rev() {
            *index += 1;
            if *index < *size {
                return;
            }
            *index = 0;
        }
        self.member += 1;
        (self.element, self.inner) = (None, None);
    }
}

impl<'a> Members<'a> {
    /// The first value of an object; `None` if it has none, or its template is unknown.
    pub fn new(object: Object<'a>) -> Option<Self> {
        let structs = vec![Struct::new(object.template()?)];
        let layout = Layout::new(object.objects().templates(), object.values());
        let place = Place { at: 0, within: 0 };
        let mut own = Self { object, layout, structs, place, has_ended: false };
        own.find().ok()?.then_some(own)
    }

    /// Returns whether the value at a place of an object is found from here on.
    pub fn precede(&self, object: Object<'_>, place: Place) -> bool {
        let is_ahead = self.place < place || self.place == place && !self.has_ended;
        is_ahead && self.object.index() == object.index()
    }

    /// Goes on to the value at a place, and returns whether there is one.
    pub fn reaches(&mut self, place: Place) -> bool {
        while self.place < place && !self.has_ended {
            self.has_ended = !self.advance().unwrap_or(false);
        }
        self.place == place && !self.has_ended
    }

    /// Goes on to the next value; returns whether there is one.
    fn advance(&mut self) -> Result<bool, ValueError> {
        if let Some(open) = self.structs.last_mut() {
            open.next();
        }
        self.find()
    }

    /// Reads the next value at or after the present member.
    fn find(&mut self) -> Result<bool, ValueError> {
        loop {
            let depth = self.structs.len();
            let Some(open) = self.structs.last_mut() else { return Ok(false) };
            let Some(member) = open.template.members.get(open.member) else {
                self.structs.pop();
                if let Some(outer) = self.structs.last_mut() {
                    outer.next();
                }
                continue;
            };
            self.layout.step()?;
            if open.element.is_none() {
                let sizes: Vec<_> = member.sizes.iter().map(|size| open.counts.size(*size)).collect();
                if sizes.contains(&0) {
                    open.member += 1;
                    continue;
                }
                let first = vec![0; sizes.len()];
                open.element = Some((sizes, first));
            }
            if let MemberKind::Struct(name) = &member.kind {
                let template = self.layout.enter_again(&mut open.inner, name, depth - 1)?;
                self.structs.push(Struct::new(template));
                continue;
            }
            self.place = self.layout.values.place();
            match member.kind {
                MemberKind::Text => _ = self.layout.values.text()?,
                _ if member.counts => {
                    let number = self.layout.values.unsigned()?;
                    open.counts.note(open.member, member, number);
                }
                _ => self.layout.values.skip_numbers(1)?,
            }
            return Ok(true);
        }
    }

    /// Returns the steps from the object to the present value: the names of members, each with its indices.
    fn steps(&self) -> impl Iterator<Item = (&'a [u8], &[u64])> {
        self.structs.iter().map(|Struct { template, member, element, .. }| {
            let indices = element.as_ref().map_or(&[][..], |(_, indices)| indices);
            (&*template.members[*member].name, indices)
        })
    }

    /// Returns the path of the present value from the object on.
    pub fn path(&self) -> FieldPath {
        let mut path = FieldPath::root();
        for (member, indices) in self.steps() {
            path.push(Step::Field(escape(member).into()));
            for at in indices {
                path.push(index(*at));
            }
        }
        path
    }

    /// Appends the text of the path from the object on.
    pub fn push_to(&self, text: &mut String) {
        for (member, indices) in self.steps() {
            text.push('.');
            // A text takes everything.
            let _ = show_text(member, text);
            for at in indices {
                index(*at).push_to(text);
            }
        }
    }

    /// Returns the key of the present value.
    fn key(&self, key: &mut Vec<u64>) {
        key.clear();
        for Struct { member, element, .. } in &self.structs {
            key.push(*member as u64);
            key.extend(element.iter().flat_map(|(_, indices)| indices));
        }
    }
}

fn index(at: u64) -> Step {
    Step::Index(usize::try_from(at).unwrap_or(usize::MAX))
}

/// Returns the key of what steps select in an object: the index of a member, the indices of an element, and so on in the
/// struct that this is. Keys ascend in the order of values.
fn key_of(object: Object<'_>, steps: &[Step]) -> Option<Vec<u64>> {
    let mut template = object.template();
    let mut key = Vec::new();
    let mut steps = steps.iter();
    while let Some(step) = steps.next() {
        let Step::Field(name) = step else { return None };
        let mut members = template?.members.iter().enumerate();
        let (at, member) = members.find(|(_, member)| member.is_step(name))?;
        key.push(at as u64);
        for step in steps.by_ref().take(member.sizes.len()) {
            let Step::Index(at) = step else { return None };
            key.push(*at as u64);
        }
        template = match &member.kind {
            MemberKind::Struct(name) => object.objects().templates().get(name),
            _ => None,
        };
    }
    Some(key)
}

/// The first and the last place of the values that a key selects.
type Places = Option<(Place, Place)>;

/// Returns the bytes in the file from the first to the last value that steps select in an object, for the indices of objects
/// and steps of members and indices. The values of each object are visited once.
pub(super) fn ranges(objects: &Objects<'_>, paths: &[(u32, Vec<Step>)]) -> Vec<Option<Range<u64>>> {
    let keys: Vec<_> = paths.iter().map(|(own, steps)| key_of(objects.object(*own), steps)).collect();
    let mut wanted: BTreeMap<u32, HashMap<&[u64], Places>> = BTreeMap::new();
    for ((object, _), key) in paths.iter().zip(&keys) {
        if let Some(key) = key {
            wanted.entry(*object).or_default().insert(key, None);
        }
    }
    for (object, wanted) in &mut wanted {
        find(objects.object(*object), wanted);
    }
    let places = wanted.values().flat_map(HashMap::values).flatten();
    let places = places.flat_map(|(first, last)| [*first, *last]);
    let mut found: Vec<_> = places.map(|place| Found { place, role: Role::Free }).collect();
    let locations = locations(objects, &mut found);
    let range = |place: Place| &locations[found.partition_point(|found| found.place < place)].range;
    let around = |((object, _), key): (&(u32, Vec<Step>), &Option<Vec<u64>>)| {
        let (first, last) = wanted.get(object)?.get(&**key.as_ref()?).copied()??;
        Some(range(first).start..range(last).end)
    };
    paths.iter().zip(&keys).map(around).collect()
}

/// Finds the values of an object that keys select.
fn find(object: Object<'_>, wanted: &mut HashMap<&[u64], Places>) {
    let Some(mut members) = Members::new(object) else { return };
    let lens: BTreeSet<usize> = wanted.keys().map(|key| key.len()).collect();
    let last = wanted.keys().max().copied().unwrap_or_default();
    let mut key = Vec::new();
    loop {
        members.key(&mut key);
        let mut is_wanted = false;
        for prefix in lens.iter().filter_map(|len| key.get(..*len)) {
            if let Some(places) = wanted.get_mut(prefix) {
                places.get_or_insert((members.place, members.place)).1 = members.place;
                is_wanted = true;
            }
        }
        let is_after_all = !is_wanted && *key > *last;
        if is_after_all || !members.advance().unwrap_or(false) {
            return;
        }
    }
}
