//! Finds what breaks the rules of `rules.rs`.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::rules::{
    BINARY_LOCATION, COMPRESSED, EXPONENT, FORWARD, FRAME_NAME, HALF_TURN, HEADER_FLAGS, HEADER_LINE,
    NO_TICKS, OPTIONS, REFERENCE, RIGHT_HANDED, STRUCTURE, TEMPLATE_DIFFERS, TICKS, UNKNOWN_TEMPLATE, VALUES,
    VERSION, WIDE_FLOATS,
};
use super::text::value;
use super::types::HEADER;
use super::{
    AnimationOptions, CompressedAnimationSet, DOUBLE, FloatList, Header, MemberKind, Object, Objects,
    RightHanded, Template, Token, TokenBody, Tokens, X, XText,
};
use crate::FieldPath;
use crate::check::common::{counted, field_path, quoted};
use crate::check::{Check, Findings, NOT_FINITE, Rule};
use crate::schema::{Step, Value as _};
use crate::wire::{TokenKind, TokenText, escape};

mod animation;
mod mesh;
mod set;

pub(in crate::formats) use set::check_set;

impl Check for X {
    fn check(&self, findings: &mut Findings) {
        if ![*b"0302", *b"0303"].contains(&self.version.0) {
            findings.add(&VERSION, || field_path!["version"], || format!("is \"{}\"", self.version));
        }
        let (Some(tokens), Ok(objects)) = (self.content(), self.objects()) else { return };
        structure(&objects, findings);
        match tokens {
            Tokens::Text(text) => {
                header_line(text, &objects, findings);
                exponents(text, findings);
                no_numbers(text, &objects, findings);
            }
            Tokens::Binary(tokens) => {
                self.wide_floats(tokens, findings);
                binary_location(tokens, &objects, findings);
            }
        }
        let mut context = Context::new(&objects, findings);
        for object in objects.all() {
            context.object(object);
            context.habits(object, matches!(tokens, Tokens::Text(_)));
        }
        context.unknown_templates();
        context.ticks(&objects);
        context.half_turns(&objects);
    }
}

impl X {
    fn wide_floats(&self, tokens: &[Token], findings: &mut Findings) {
        let wide = |token: &Token| matches!(token.body, TokenBody::FloatList(FloatList::Double(_)));
        if self.float_size == DOUBLE && tokens.iter().any(wide) {
            findings.add(
                &WIDE_FLOATS,
                || field_path!["float_size"],
                || "is 0064, and lists of numbers follow it".into(),
            );
        }
    }
}

/// Binary data that follows the objects, and the object that locates it.
fn binary_location(tokens: &[Token], objects: &Objects<'_>, findings: &mut Findings) {
    let location = tokens.iter().enumerate().find_map(|(index, token)| match &token.body {
        TokenBody::BinaryLocation(location) => Some((index, location)),
        _ => None,
    });
    let mut end = HEADER;
    let data = tokens.iter().find_map(|token| {
        end += token.size();
        match &token.body {
            TokenBody::BinaryData(body) => Some(body.data.0.len() as u64),
            _ => None,
        }
    });
    let (Some((index, location)), Some(size)) = (location, data) else { return };
    let path = |field: &'static str| move || objects.token_path(index).join(&field_path!["body", field]);
    if location.offset != end - size {
        let message = || format!("is {}, but the data are at {}", location.offset, end - size);
        findings.add(&BINARY_LOCATION, path("offset"), message);
    }
    if location.size != size {
        let message = || format!("is {}, but the data have {size} bytes", location.size);
        findings.add(&BINARY_LOCATION, path("size"), message);
    }
}

/// What stands in front of the first end of a line.
fn header_line(text: &TokenText<XText>, objects: &Objects<'_>, findings: &mut Findings) {
    let end = memchr::memchr2(b'\n', b'\r', text.text()).unwrap_or(text.text().len());
    let said = |lexis: TokenKind| !matches!(lexis, TokenKind::Blank | TokenKind::Comment);
    let mut lexemes = text.iter().enumerate();
    if let Some((index, first)) =
        lexemes.find(|(_, lexeme)| said(lexeme.kind)).filter(|own| own.1.start < end)
    {
        let word = &first.bytes[..first.bytes.len().min(40)];
        let message = || format!("{} stands on the line of the header", quoted(word));
        let range = objects.range(first.start..first.start + first.bytes.len());
        findings.add_at(&HEADER_LINE, range, || objects.token_path(index), message);
    }
}

/// Numbers that are none, as Microsoft's library spells them.
fn no_numbers(text: &TokenText<XText>, objects: &Objects<'_>, findings: &mut Findings) {
    for (index, lexeme) in text.iter().enumerate().filter(|(_, lexeme)| lexeme.kind == TokenKind::Numbers) {
        for place in memchr::memchr_iter(b'#', lexeme.bytes) {
            let word = around(lexeme.bytes, place);
            let spelling = &lexeme.bytes[word.clone()];
            if value(spelling).is_some_and(|value| !value.is_finite()) {
                let range = objects.range(lexeme.start + word.start..lexeme.start + word.end);
                let message = || format!("is {}", escape(spelling));
                findings.add_at(&NOT_FINITE, range, || objects.token_path(index), message);
            }
        }
    }
}

/// What is wrong with the file rather than with an object.
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
            let message = || format!("{} is not laid out as in the standard", escape(&own.name));
            findings.add(&TEMPLATE_DIFFERS, FieldPath::root, message);
        }
    }
}

/// The templates of objects and of the structs inside them, in small letters.
fn used_templates(objects: &Objects<'_>) -> HashSet<Vec<u8>> {
    let mut used = HashSet::new();
    let mut next: Vec<Vec<u8>> = objects.all().map(|own| own.template_name().to_ascii_lowercase()).collect();
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

/// Numbers as Wine cannot read them.
fn exponents(text: &TokenText<XText>, findings: &mut Findings) {
    let (mut count, mut first) = (0, None);
    for lexeme in text.iter().filter(|lexeme| lexeme.kind == TokenKind::Numbers) {
        for place in memchr::memchr2_iter(b'e', b'E', lexeme.bytes) {
            count += 1;
            first.get_or_insert_with(|| escape(&lexeme.bytes[around(lexeme.bytes, place)]));
        }
    }
    if let Some(first) = first {
        let message = || format!("has {}, the first is {first}", counted(count, "such number"));
        findings.add(&EXPONENT, || field_path!["tokens"], message);
    }
}

/// The number around a byte of a run.
fn around(run: &[u8], at: usize) -> Range<usize> {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.#".contains(byte);
    let start = run[..at].iter().rposition(|byte| !part(byte)).map_or(0, |before| before + 1);
    let end = run[at..].iter().position(|byte| !part(byte)).map_or(run.len(), |len| at + len);
    start..end
}

fn first_set<'a>(objects: &'a Objects<'a>) -> Option<Object<'a>> {
    objects.all().find(|object| object.is("AnimationSet"))
}

/// Tracks of rotations, and those that begin as if their parts stood in another order.
#[derive(Clone, Copy, Default)]
struct Turns {
    tracks: usize,
    odd: usize,
}

/// What the rules of objects need to know of the others.
struct Context<'a, 'f> {
    /// The first object of each name, by its place among all.
    names: HashMap<&'a [u8], u32>,
    /// Frames by name.
    frames: HashMap<&'a [u8], usize>,
    /// Objects of templates that nobody defines.
    unknown: Vec<Object<'a>>,
    turns: Turns,
    findings: &'f mut Findings,
}

impl<'a, 'f> Context<'a, 'f> {
    fn new(objects: &'a Objects<'a>, findings: &'f mut Findings) -> Self {
        let mut names = HashMap::new();
        for object in objects.all() {
            names.entry(object.name()).or_insert(object.index());
        }
        let mut context = Self { names, ..Self::of_nothing(findings) };
        for frame in objects.all().filter(|object| object.is("Frame") && !object.name().is_empty()) {
            let seen = context.frames.entry(frame.name()).or_default();
            *seen += 1;
            if *seen > 1 {
                context.add(&FRAME_NAME, frame, &[], || "the name is there before".into());
            }
        }
        context
    }

    fn of_nothing(findings: &'f mut Findings) -> Self {
        let (names, frames) = (HashMap::new(), HashMap::new());
        Self { names, frames, unknown: Vec::new(), turns: Turns::default(), findings }
    }

    /// A finding in an object, at the object's head: values are found by their path.
    fn add(
        &mut self,
        rule: &'static Rule,
        object: Object<'_>,
        further: &[Step],
        message: impl FnOnce() -> String,
    ) {
        let start = object.offset();
        let end = start + object.template_name().len() as u64;
        let path = || object.path().join(&FieldPath::from(further.to_vec()));
        self.findings.add_at(rule, start..end, path, message);
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
            match self.names.get(reference.name) {
                None => self.add(&REFERENCE, object, &[], || format!("nothing is called {name}")),
                Some(first) if *first > object.index() => {
                    self.add(&FORWARD, object, &[], || format!("{name} comes later"));
                }
                Some(_) => {}
            }
        }
        match object {
            _ if object.is("Mesh") => self.mesh(object),
            _ if object.is("Animation") => self.animation(object),
            _ if object.is("AnimationKey") => self.keys(object),
            _ => {}
        }
    }

    /// The unit of key times is said once.
    fn ticks(&mut self, objects: &'a Objects<'a>) {
        let mut all = objects.all().filter(|object| object.is("AnimTicksPerSecond"));
        let has_ticks = all.next().is_some();
        if let Some(second) = all.next() {
            self.add(&TICKS, second, &[], || "there is one before".into());
        }
        let has_keys = || objects.all().any(|object| object.is("AnimationKey"));
        if let Some(set) = first_set(objects).filter(|_| !has_ticks && has_keys()) {
            self.add(&NO_TICKS, set, &[], || "there is no AnimTicksPerSecond".into());
        }
    }

    fn half_turns(&mut self, objects: &Objects<'_>) {
        let Turns { tracks, odd } = self.turns;
        if let Some(set) = first_set(objects).filter(|_| tracks > 0 && tracks == odd) {
            let tracks = || counted(tracks, "track");
            self.add(&HALF_TURN, set, &[], || {
                format!("begins {} with w below 0.35 and z above 0.9", tracks())
            });
        }
    }

    /// One finding for each template that nobody defines.
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
            let more = if more == 0 { String::new() } else { format!(", and {more} more are of it") };
            let name = escape(first.template_name());
            self.add(&UNKNOWN_TEMPLATE, first, &[], || format!("no template {name} is known{more}"));
        }
    }

    /// What readers seldom mind.
    fn habits(&mut self, object: Object<'_>, is_text: bool) {
        // What cannot be read breaks another rule.
        if let Some(Ok(Header { flags })) = object.view()
            && (flags & 1 == 1) != is_text
        {
            let form = if is_text { "text" } else { "tokens" };
            self.add(&HEADER_FLAGS, object, &["flags".into()], || format!("are {flags} in {form}"));
        }
        if let Some(Ok(RightHanded { is_right_handed: 1.. })) = object.view() {
            self.add(&RIGHT_HANDED, object, &[], || "no reader heeds it".into());
        }
        if let Some(Ok(AnimationOptions { open_closed, position_quality })) = object.view()
            && (open_closed > 1 || position_quality > 1)
        {
            self.add(&OPTIONS, object, &[], || format!("are {open_closed} and {position_quality}"));
        }
        if let Some(Ok(CompressedAnimationSet { block_size, data })) = object.view()
            && block_size.div_ceil(4) as usize != data.len()
        {
            let message = || format!("has {} for {block_size} bytes", counted(data.len(), "word"));
            self.add(&COMPRESSED, object, &["CompressedData".into()], message);
        }
    }

    /// Two numbers that must be the same.
    fn count(
        &mut self,
        rule: &'static Rule,
        object: Object<'_>,
        member: &'static str,
        (has, expected): (usize, usize),
        what: &str,
    ) {
        if has != expected {
            let message = || format!("has {has}, but there are {}", counted(expected, what));
            self.add(rule, object, &[member.into()], message);
        }
    }
}
