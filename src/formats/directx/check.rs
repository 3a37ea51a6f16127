//! Finds what breaks the rules of `rules.rs`.

use std::collections::{HashMap, HashSet};

use super::rules::{
    EXPONENT, FRAME_NAME, REFERENCE, STRUCTURE, TEMPLATE_DIFFERS, TICKS, UNKNOWN_TEMPLATE, VALUES,
};
use super::{Object, Objects, Template, Tokens, X};
use crate::Path;
use crate::check::common::{at, counted, quoted};
use crate::check::{Check, Findings, Rule};
use crate::schema::Step;
use crate::wire::{Lexis, escape};

mod animation;
mod mesh;
mod set;

pub(in crate::formats) use set::check_set;

impl Check for X {
    fn check(&self, findings: &mut Findings) {
        let Ok(objects) = self.objects() else { return };
        structure(&objects, findings);
        if let Some(Tokens::Text(text)) = self.content() {
            exponents(text, findings);
        }
        let mut context = Context::new(&objects, findings);
        let mut ticks = 0;
        for object in objects.all() {
            context.object(object);
            if object.is("AnimTicksPerSecond") {
                ticks += 1;
                if ticks == 2 {
                    context.add(&TICKS, object, &[], || "there is one before".into());
                }
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
        if Template::standard(&own.name).is_some_and(differs) {
            let message = || format!("{} is not laid out as in the standard", escape(&own.name));
            findings.add(&TEMPLATE_DIFFERS, Path::root, message);
        }
    }
}

/// Numbers as Wine cannot read them.
fn exponents(text: &crate::wire::Scanned<super::XText>, findings: &mut Findings) {
    let (mut count, mut first) = (0, None);
    for lexeme in text.iter().filter(|lexeme| lexeme.kind == Lexis::Numbers) {
        for place in memchr::memchr2_iter(b'e', b'E', lexeme.bytes) {
            count += 1;
            first.get_or_insert_with(|| spelled(lexeme.bytes, place));
        }
    }
    if let Some(first) = first {
        let message = || format!("has {}, the first is {first}", counted(count, "such number"));
        findings.add(&EXPONENT, || at!["tokens"], message);
    }
}

/// The number around a byte of a run.
fn spelled(run: &[u8], at: usize) -> String {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let start = run[..at].iter().rposition(|byte| !part(byte)).map_or(0, |before| before + 1);
    let end = run[at..].iter().position(|byte| !part(byte)).map_or(run.len(), |len| at + len);
    escape(&run[start..end])
}

/// What the rules of objects need to know of the others.
struct Context<'a, 'f> {
    /// All names.
    names: HashSet<&'a [u8]>,
    /// Frames by name.
    frames: HashMap<&'a [u8], usize>,
    findings: &'f mut Findings,
}

impl<'a, 'f> Context<'a, 'f> {
    fn new(objects: &'a Objects<'a>, findings: &'f mut Findings) -> Self {
        let names = objects.all().map(|object| object.name()).collect();
        let mut context = Self { names, frames: HashMap::new(), findings };
        for frame in objects.all().filter(|object| object.is("Frame") && !object.name().is_empty()) {
            let seen = context.frames.entry(frame.name()).or_default();
            *seen += 1;
            if *seen > 1 {
                context.add(&FRAME_NAME, frame, &[], || "the name is there before".into());
            }
        }
        context
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
        let path = || object.path().join(&Path::from(further.to_vec()));
        self.findings.add_at(rule, start..end, path, message);
    }

    fn object(&mut self, object: Object<'a>) {
        if object.template().is_none() {
            let name = escape(object.template_name());
            self.add(&UNKNOWN_TEMPLATE, object, &[], || format!("no template {name} is known"));
            return;
        }
        for problem in object.problems() {
            let start = problem.offset();
            self.findings.add_at(&VALUES, start..start + 1, || object.path(), || problem.message());
        }
        for reference in object.references().filter(|reference| !reference.name.is_empty()) {
            if !self.names.contains(reference.name) {
                let message = || format!("nothing is called {}", quoted(reference.name));
                self.add(&REFERENCE, object, &[], message);
            }
        }
        match object {
            _ if object.is("Mesh") => self.mesh(object),
            _ if object.is("Animation") => self.animation(object),
            _ if object.is("AnimationKey") => self.keys(object),
            _ => {}
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
