//! Checks the rules of `rules.rs`.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::members;
use super::rules::{
    BINARY_LOCATION, COMPRESSED, ELSEWHERE, EXPONENT, FORWARD, FRAME_NAME, HALF_TURN, HEADER_FLAGS,
    HEADER_LINE, NO_TICKS, OPTIONS, REFERENCE, RIGHT_HANDED, STRUCTURE, TEMPLATE_DIFFERS, TICKS,
    UNKNOWN_TEMPLATE, VALUES, VERSION, WIDE_FLOATS,
};
use super::syntax::text::value;
use super::ticks::Ticks;
use super::types::HEADER;
use super::{
    AnimTicksPerSecond, Animation, AnimationKey, AnimationOptions, AnimationSet, CompressedAnimationSet,
    DOUBLE, FloatList, Frame, Header, MemberKind, Mesh, Object, Objects, RightHanded, Template, Token,
    TokenBody, Tokens, View, X, XText,
};
use crate::check::common::{counted, field_path, quoted};
use crate::check::{Check, Findings, NOT_FINITE, Rule};
use crate::schema::{Step, Value as _};
use crate::text::{Grammar as _, TokenKind, TokenText};
use crate::wire::escape;
use crate::{ErrorKind, FieldPath};

mod animation;
mod mesh;
mod set;

pub(in crate::formats) use set::check_set;

impl crate::sealed::Sealed for X {}

impl Check for X {
    fn check(&self, findings: &mut Findings) {
        if ![*b"0302", *b"0303"].contains(&self.version.0) {
            findings.add(
                &VERSION,
                || field_path!["version"],
                || format!("is \"{}\", expected \"0302\" or \"0303\"", self.version),
            );
        }
        let (Some(tokens), Ok(objects)) = (self.content(), self.objects()) else { return };
        structure(&objects, findings);
        match tokens {
            Tokens::Text(text) => {
                header_line(text, &objects, findings);
                exponents(text, findings);
                not_finite(text, &objects, findings);
            }
            Tokens::Binary(tokens) => {
                self.wide_floats(tokens, findings);
                binary_location(tokens, &objects, findings);
            }
        }
        let mut context = Context::new(&objects, findings);
        for object in objects.all() {
            context.object(object);
            context.lenient(object, matches!(tokens, Tokens::Text(_)));
        }
        context.unknown_templates();
        context.ticks(&objects);
        context.elsewhere(&objects);
        context.half_turns(&objects);
        context.place(&objects);
    }
}

impl X {
    fn wide_floats(&self, tokens: &[Token], findings: &mut Findings) {
        let wide = |token: &Token| matches!(token.body, TokenBody::FloatList(FloatList::Double(_)));
        if self.float_size == DOUBLE && tokens.iter().any(wide) {
            findings.add(
                &WIDE_FLOATS,
                || field_path!["float_size"],
                || format!("is \"{DOUBLE}\", and lists of floats follow"),
            );
        }
    }
}

/// Checks the stored location of the binary data that follows the objects.
fn binary_location(tokens: &[Token], objects: &Objects<'_>, findings: &mut Findings) {
    let location = tokens.iter().enumerate().find_map(|(index, token)| match &token.body {
        TokenBody::BinaryLocation(location) => Some((index, location)),
        _ => None,
    });
    let (Some((index, location)), Some((offset, size))) = (location, binary_data(tokens)) else { return };
    let path = |field: &'static str| move || objects.token_path(index).join(&field_path!["body", field]);
    if location.offset != offset {
        let message = || format!("is {}, expected {offset}", location.offset);
        findings.add(&BINARY_LOCATION, path("offset"), message);
    }
    if location.size != size {
        let message = || format!("is {}, expected {size}", location.size);
        findings.add(&BINARY_LOCATION, path("size"), message);
    }
}

/// Returns the offset and the size of the binary data that follows the objects.
pub(super) fn binary_data(tokens: &[Token]) -> Option<(u64, u64)> {
    let mut end = HEADER;
    tokens.iter().find_map(|token| {
        end += token.size();
        match &token.body {
            TokenBody::BinaryData(body) => Some(body.data.0.len() as u64).map(|size| (end - size, size)),
            _ => None,
        }
    })
}

/// Reports content on the line of the header.
fn header_line(text: &TokenText<XText>, objects: &Objects<'_>, findings: &mut Findings) {
    let end = memchr::memchr2(b'\n', b'\r', text.text()).unwrap_or(text.text().len());
    let is_content = |kind: TokenKind| !matches!(kind, TokenKind::Blank | TokenKind::Comment);
    let mut tokens = text.iter().enumerate();
    if let Some((index, first)) =
        tokens.find(|(_, token)| is_content(token.kind)).filter(|own| own.1.start < end)
    {
        let word = &first.bytes[..first.bytes.len().min(40)];
        let message = || format!("{} is on the same line as the header", quoted(word));
        let range = objects.range(first.start..first.start + first.bytes.len());
        findings.add_at(&HEADER_LINE, range, || objects.token_path(index), message);
    }
}

/// Reports infinities and NaNs, which Microsoft's library writes as `1.#INF` and `1.#QNAN`, others as `inf` and `nan`.
fn not_finite(text: &TokenText<XText>, objects: &Objects<'_>, findings: &mut Findings) {
    for (index, token) in text.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Numbers) {
        let capital = memchr::memchr2_iter(b'A', b'F', token.bytes);
        let mut places: Vec<_> = memchr::memchr3_iter(b'#', b'a', b'f', token.bytes).chain(capital).collect();
        places.sort_unstable();
        let (mut end, mut counted, mut number) = (0, 0, 0);
        for place in places {
            if place < end {
                continue;
            }
            let word = around(token.bytes, place);
            end = word.end;
            let spelling = &token.bytes[word.clone()];
            if value(spelling).is_some_and(|value| !value.is_finite()) {
                let range = objects.range(token.start + word.start..token.start + word.end);
                // The numbers up to this one, each counted once in the run.
                number += numbers_in(&token.bytes[counted..word.start]);
                counted = word.start;
                let message = || format!("is {}", escape(spelling));
                findings.add_at(&NOT_FINITE, range, || number_path(objects, index, number), message);
            }
        }
    }
}

/// Returns the path of a number of a run.
fn number_path(objects: &Objects<'_>, token: usize, number: usize) -> FieldPath {
    objects.token_path(token).join(&field_path![number, "value"])
}

/// Counts the numbers of a run.
fn numbers_in(run: &[u8]) -> usize {
    let mut ends = std::iter::successors(Some(0), |at| (*at < run.len()).then(|| XText::number(run, *at).1));
    ends.next();
    ends.count()
}

/// Reports invalid nesting, and templates that differ from the standard ones.
fn structure(objects: &Objects<'_>, findings: &mut Findings) {
    for problem in objects.problems() {
        let start = problem.offset();
        findings.add_at(&STRUCTURE, start..start + 1, || problem.path().clone(), || problem.message());
    }
    let used = used_templates(objects);
    for own in objects.templates().own() {
        let differs = |standard: &Template| {
            let kinds = |template: &Template| {
                template
                    .members
                    .iter()
                    .map(|member| (member.kind.clone(), member.sizes.len()))
                    .collect::<Vec<_>>()
            };
            kinds(standard) != kinds(own)
        };
        if Template::standard(&own.name).is_some_and(differs) && used.contains(&own.name.to_ascii_lowercase())
        {
            let message = || format!("the layout of {} differs from the standard", escape(&own.name));
            findings.add(&TEMPLATE_DIFFERS, FieldPath::root, message);
        }
    }
}

/// Returns the lowercase names of the templates of all objects and of the structs in them.
fn used_templates(objects: &Objects<'_>) -> HashSet<Vec<u8>> {
    let mut used = HashSet::new();
    // Millions of objects have few templates.
    let names: HashSet<&[u8]> = objects.all().map(|own| own.template_name()).collect();
    let mut next: Vec<Vec<u8>> = names.into_iter().map(<[u8]>::to_ascii_lowercase).collect();
    while let Some(name) = next.pop() {
        if used.contains(&name) {
            continue;
        }
        let members = objects.templates().get(&name).map_or(&[][..], |template| &template.members);
        next.extend(members.iter().filter_map(|member| match &member.kind {
            MemberKind::Struct(name) => Some(name.to_ascii_lowercase()),
            _ => None,
        }));
        used.insert(name);
    }
    used
}

/// Reports numbers with exponents, which Wine cannot read.
fn exponents(text: &TokenText<XText>, findings: &mut Findings) {
    let (mut count, mut first) = (0, None);
    for token in text.iter().filter(|token| token.kind == TokenKind::Numbers) {
        for place in memchr::memchr2_iter(b'e', b'E', token.bytes) {
            count += 1;
            first.get_or_insert_with(|| escape(&token.bytes[around(token.bytes, place)]));
        }
    }
    if let Some(first) = first {
        let message = || format!("has {} with an exponent; the first is {first}", counted(count, "number"));
        findings.add(&EXPONENT, || field_path!["tokens"], message);
    }
}

/// Returns the range of the number that contains a byte of a run.
fn around(run: &[u8], at: usize) -> Range<usize> {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.#()_".contains(byte);
    let start = run[..at].iter().rposition(|byte| !part(byte)).map_or(0, |before| before + 1);
    let end = run[at..].iter().position(|byte| !part(byte)).map_or(run.len(), |len| at + len);
    start..end
}

fn first_set<'a>(objects: &'a Objects<'a>) -> Option<Object<'a>> {
    objects.all().find(|object| object.is(AnimationSet::TEMPLATE))
}

/// Counts the rotation tracks.
#[derive(Clone, Copy, Default)]
struct RotationTracks {
    all: usize,
    /// Those whose first key would be a small rotation if read as x, y, z, w.
    suspicious: usize,
}

/// The state that the checks of objects share.
struct Context<'a, 'f> {
    /// The index of the first object of each name.
    names: HashMap<&'a [u8], u32>,
    /// The number of frames of each name seen so far.
    frames: HashMap<&'a [u8], usize>,
    /// The number of unresolved references of a file that contains only animations; none if it contains others.
    elsewhere: Option<usize>,
    /// Objects of unknown templates.
    unknown: Vec<Object<'a>>,
    rotations: RotationTracks,
    findings: &'f mut Findings,
    /// The values that findings are about: the index of the finding, and the object and steps that locate them.
    values: Vec<(usize, (u32, Vec<Step>))>,
}

impl<'a, 'f> Context<'a, 'f> {
    fn new(objects: &'a Objects<'a>, findings: &'f mut Findings) -> Self {
        let mut names = HashMap::new();
        for object in objects.all() {
            names.entry(object.name()).or_insert(object.index());
        }
        let mut context = Self { names, ..Self::empty(findings) };
        let is_shown = |object: &Object<'_>| object.is(Frame::TEMPLATE) || object.is(Mesh::TEMPLATE);
        if !objects.all().any(|object| is_shown(&object)) && first_set(objects).is_some() {
            context.elsewhere = Some(0);
        }
        for frame in objects.all().filter(|object| object.is(Frame::TEMPLATE) && !object.name().is_empty()) {
            let seen = context.frames.entry(frame.name()).or_default();
            *seen += 1;
            if *seen > 1 {
                context.add(&FRAME_NAME, frame, &[], || "an earlier frame has the same name".into());
            }
        }
        context
    }

    fn empty(findings: &'f mut Findings) -> Self {
        let (names, frames) = (HashMap::new(), HashMap::new());
        let rotations = RotationTracks::default();
        Self { names, frames, elsewhere: None, unknown: Vec::new(), rotations, findings, values: Vec::new() }
    }

    /// Adds a finding about values of an object, or about the object, which is located at its template name.
    fn add(
        &mut self,
        rule: &'static Rule,
        object: Object<'_>,
        steps: &[Step],
        message: impl FnOnce() -> String,
    ) {
        let start = object.offset();
        let end = start + object.template_name().len() as u64;
        let path = || object.path().join(&FieldPath::from(steps.to_vec()));
        let added = self.findings.add_placeable(rule, start..end, path, message);
        if let (Some(at), [_, ..]) = (added, steps) {
            self.values.push((at, (object.index(), steps.to_vec())));
        }
    }

    /// Locates the findings about values.
    fn place(self, objects: &Objects<'_>) {
        let (findings, values): (Vec<_>, Vec<_>) = self.values.into_iter().unzip();
        for (at, range) in findings.into_iter().zip(members::ranges(objects, &values)) {
            if let Some(range) = range {
                self.findings.place(at, range);
            }
        }
    }

    fn object(&mut self, object: Object<'a>) {
        if object.template().is_none() {
            self.unknown.push(object);
            return;
        }
        for problem in object.problems() {
            let start = problem.offset();
            self.findings.add_at(&VALUES, start..start + 1, || object.path(), || problem.message());
        }
        for reference in object.references().filter(|reference| !reference.name.is_empty()) {
            let name = quoted(reference.name);
            match (self.names.get(reference.name), &mut self.elsewhere) {
                (None, Some(elsewhere)) => *elsewhere += 1,
                (None, None) => self.add(&REFERENCE, object, &[], || format!("no object is named {name}")),
                (Some(first), _) if *first > object.index() => {
                    self.add(&FORWARD, object, &[], || format!("refers to {name}, which is defined later"));
                }
                (Some(_), _) => {}
            }
        }
        match object {
            _ if object.is(Mesh::TEMPLATE) => self.mesh(object),
            _ if object.is(Animation::TEMPLATE) => self.animation(object),
            _ if object.is(AnimationKey::TEMPLATE) => self.keys(object),
            _ => {}
        }
    }

    /// Returns the typed view of an object. Values of another type than the member's are reported here, the other problems of values
    /// for all objects.
    fn view<V: View>(&mut self, object: Object<'_>) -> Option<V> {
        let error = match object.view()? {
            Ok(view) => return Some(view),
            Err(error) => error,
        };
        // The file's own template can have another layout.
        if !matches!(error.kind(), ErrorKind::Unknown(_)) && object.problems().is_empty() {
            let start = error.offset();
            self.findings.add_at(&VALUES, start..start + 1, || object.path(), || error.message());
        }
        None
    }

    /// Returns the first child object of a template, with its view.
    fn part<'o, V: View>(&mut self, object: Object<'o>) -> Option<(Object<'o>, V)> {
        let child = object.children_of(V::TEMPLATE).next()?;
        Some((child, self.view(child)?))
    }

    /// Checks that the length of a tick is specified once.
    fn ticks(&mut self, objects: &'a Objects<'a>) {
        let mut all = objects.all().filter(|object| object.is(AnimTicksPerSecond::TEMPLATE));
        let has_ticks = all.next().is_some();
        if let Some(second) = all.next() {
            self.add(&TICKS, second, &[], || "is not the first AnimTicksPerSecond of the file".into());
        }
        if let Some(set) = first_set(objects).filter(|_| !has_ticks && Ticks::matter(objects)) {
            self.add(&NO_TICKS, set, &[], || "has keys, but the file has no AnimTicksPerSecond".into());
        }
    }

    fn elsewhere(&mut self, objects: &Objects<'_>) {
        let Some(count) = self.elsewhere.filter(|count| *count > 0) else { return };
        if let Some(set) = first_set(objects) {
            let message = || format!("has {} to frames of another file", counted(count, "reference"));
            self.add(&ELSEWHERE, set, &[], message);
        }
    }

    fn half_turns(&mut self, objects: &Objects<'_>) {
        let RotationTracks { all, suspicious } = self.rotations;
        if let Some(set) = first_set(objects).filter(|_| all > 0 && all == suspicious) {
            self.add(&HALF_TURN, set, &[], || {
                format!("starts {} with |w| below 0.35 and |z| above 0.9", counted(all, "track"))
            });
        }
    }

    /// Adds one finding for each unknown template.
    fn unknown_templates(&mut self) {
        let mut counts: Vec<(Object<'a>, usize)> = Vec::new();
        let mut places = HashMap::new();
        for object in std::mem::take(&mut self.unknown) {
            let place = *places.entry(object.template_name()).or_insert(counts.len());
            match counts.get_mut(place) {
                Some((_, count)) => *count += 1,
                None => counts.push((object, 0)),
            }
        }
        for (first, more) in counts {
            let more =
                if more == 0 { String::new() } else { format!(", used by {} more", counted(more, "object")) };
            let name = escape(first.template_name());
            self.add(&UNKNOWN_TEMPLATE, first, &[], || format!("unknown template {name}{more}"));
        }
    }

    /// Reports what most readers accept or ignore.
    fn lenient(&mut self, object: Object<'_>, is_text: bool) {
        // Unreadable values are reported by another rule.
        if let Some(Ok(Header { flags, .. })) = object.view()
            && (flags & 1 == 1) != is_text
        {
            let form = if is_text { "text" } else { "token" };
            self.add(&HEADER_FLAGS, object, &["flags".into()], || format!("are {flags} in a {form} file"));
        }
        if let Some(Ok(RightHanded { is_right_handed: 1.. })) = object.view() {
            self.add(&RIGHT_HANDED, object, &[], || "is ignored by all known readers".into());
        }
        if let Some(Ok(AnimationOptions { open_closed, position_quality })) = object.view()
            && (open_closed > 1 || position_quality > 1)
        {
            self.add(&OPTIONS, object, &[], || {
                format!(
                    "has openclosed {open_closed} and positionquality {position_quality}, expected 0 or 1"
                )
            });
        }
        if let Some(Ok(CompressedAnimationSet { block_size, data, .. })) = object.view()
            && block_size.div_ceil(4) as usize != data.len()
        {
            let message = || {
                let expected = block_size.div_ceil(4);
                format!("has {}, expected {expected} for {block_size} bytes", counted(data.len(), "word"))
            };
            self.add(&COMPRESSED, object, &["CompressedData".into()], message);
        }
    }

    /// Checks that a list has one element per item of another.
    fn count(
        &mut self,
        rule: &'static Rule,
        object: Object<'_>,
        member: &'static str,
        (has, expected): (usize, usize),
        what: &str,
    ) {
        if has != expected {
            let message = || format!("has {}, expected {expected}: one per {what}", counted(has, "element"));
            self.add(rule, object, &[member.into()], message);
        }
    }
}
