//! Resolves paths of object and member names: `Frame[Root].Mesh.vertices[12].x`.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow::{Break, Continue};
use std::ops::Range;

use super::syntax::fields::Layout;
use super::syntax::objects::{Child, Object, Objects};
use super::syntax::template::MemberKind;
use super::syntax::values::{Place, ValueError, Values};
use super::syntax::walk::{Halt, Marks, Visitor, Walk};
use super::types::HEADER;
use super::{Token, TokenBody, Tokens, X};
use crate::schema::{
    ElementNames, FieldPath, IsAlias, Location, PathError, Record, Role, Step, Value, VisitLocation, locate,
};
use crate::wire::escape;
use crate::{Budget, Error, ErrorKind, LimitError, Result};

/// Values whose tokens are located at a time, and the memory that each takes in the meantime.
pub(super) const AT_ONCE: usize = 1 << 14;
const LOCATED: usize = 512;

/// Visits the tokens of paths; `None` for each path that begins with a field of the file.
pub(super) fn resolve(
    file: &X,
    paths: &[FieldPath],
    budget: &Budget,
    visit: &mut VisitLocation<'_>,
) -> Vec<IsAlias> {
    let is_alias = |path: &FieldPath| {
        let Some(Step::Field(first)) = path.steps().first() else { return false };
        // All other names are templates.
        file.all_fields(&mut |field, _| if field.name == first { Break(()) } else { Continue(()) })
            .is_continue()
    };
    let aliases: Vec<bool> = paths.iter().map(is_alias).collect();
    if !aliases.contains(&true) {
        return paths.iter().map(|_| None).collect();
    }
    let objects = file.objects();
    let mut search = objects.as_ref().map(Search::new);
    let temporary = budget.scope();
    let mut places =
        Finding { budget: &temporary, exceeded: None, nth: 0, roles: Vec::new(), found: Vec::new() };
    let mut find = |nth: usize, path: &FieldPath| match &mut search {
        Ok(search) => places.find(search, nth, path),
        Err(error) => Err((*error).clone()),
    };
    let mut all: Vec<IsAlias> = vec![None; paths.len()];
    // In ascending order, so that a walk goes on where the one before it ended.
    let mut ordered: Vec<_> = paths.iter().enumerate().filter(|(nth, _)| aliases[*nth]).collect();
    ordered.sort_by_key(|(_, path)| *path);
    for (nth, path) in ordered {
        all[nth] = Some(find(nth, path));
    }
    let Finding { roles, found: mut places, .. } = places;
    places.sort_unstable();
    let located = (places.len().min(AT_ONCE) * LOCATED) as u64;
    if let Err(why) = temporary.charge(located) {
        return all.into_iter().map(|own| own.map(|own| own.and(Err(why.into())))).collect();
    }
    for (objects, places) in
        objects.iter().flat_map(|own| places.chunks(AT_ONCE).map(move |part| (own, part)))
    {
        let mut found: Vec<_> = places.iter().map(|kept| kept.found(&roles)).collect();
        let located = locations(objects, &mut found);
        places.iter().zip(located).for_each(|(kept, place)| visit(kept.nth as usize, place));
    }
    all
}

/// The values that paths select, each with the number of its path.
struct Finding<'b> {
    budget: &'b Budget,
    /// Why not all could be kept.
    exceeded: Option<LimitError>,
    /// The number of the present path.
    nth: usize,
    /// The roles of the values, each once.
    roles: Vec<Role>,
    found: Vec<Kept>,
}

/// A value in few bytes, since there can be millions. The indices of texts and tokens have 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Kept {
    at: u32,
    within: u32,
    /// The number of the path.
    nth: u32,
    /// The index of the role.
    role: u32,
}

impl Kept {
    fn found(self, roles: &[Role]) -> Found {
        let place = Place { at: self.at as usize, within: self.within as usize };
        Found { place, role: roles[self.role as usize] }
    }
}

impl Finding<'_> {
    /// Adds what a path selects.
    fn find(&mut self, search: &mut Search<'_>, nth: usize, path: &FieldPath) -> Result<()> {
        let before = self.found.len();
        self.nth = nth;
        let found = search.find(path.steps(), self);
        let found = match self.exceeded {
            Some(why) => Err(why.into()),
            None => found.map_err(|why| Error::new(0, ErrorKind::Path(why)).at(path.clone())),
        };
        found.inspect_err(|_| self.found.truncate(before))
    }

    fn push(&mut self, found: Found) -> Result<(), LimitError> {
        let kept = self.kept(found);
        let kept = kept.and_then(|kept| self.budget.reserve(&mut self.found, 1).map(|()| kept));
        self.found.push(kept.inspect_err(|why| self.exceeded = Some(*why))?);
        Ok(())
    }

    fn kept(&mut self, Found { place, role }: Found) -> Result<Kept, LimitError> {
        let known = self.roles.iter().position(|own| *own == role);
        let role = known.unwrap_or_else(|| {
            self.roles.push(role);
            self.roles.len() - 1
        });
        let index = |own: usize| {
            let too_long = LimitError::Length { actual: own as u64, permitted: u32::MAX.into() };
            u32::try_from(own).map_err(|_| too_long)
        };
        Ok(Kept {
            at: index(place.at)?,
            within: index(place.within)?,
            nth: index(self.nth)?,
            role: index(role)?,
        })
    }
}

/// Finds what paths select, with what earlier ones led to.
struct Search<'a> {
    objects: &'a Objects<'a>,
    /// By template: the outermost objects, and all.
    templates: HashMap<String, [Candidates<'a>; 2]>,
    /// The children of a template, by the index of their parent.
    children: HashMap<(u32, String), Candidates<'a>>,
    /// The last object with a selected member.
    walked: Option<(u32, Marks<'a>)>,
}

/// Objects of a template.
#[derive(Default)]
struct Candidates<'a> {
    objects: Vec<Object<'a>>,
    names: ElementNames,
}

/// The position and role of a value.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub place: Place,
    pub role: Role,
}

impl Visitor for Finding<'_> {
    fn value(&mut self, values: &mut Values<'_>, kind: &MemberKind, role: Role) -> Result<(), ValueError> {
        let place = values.place();
        if *kind == MemberKind::Text {
            values.text()?;
        } else {
            values.skip_numbers(1)?;
        }
        self.push(Found { place, role }).map_err(|why| ValueError { place, kind: ErrorKind::Limit(why) })
    }
}

/// Returns the objects that a path selects.
pub(super) fn objects_at<'a>(objects: &'a Objects<'a>, steps: &[Step]) -> Result<Vec<Object<'a>>, PathError> {
    let mut search = Search::new(objects);
    let (mut level, mut steps) = search.first_objects(steps)?;
    while let [first, ..] = steps {
        let Step::Field(name) = first else { return Err(PathError::NotAList(first.to_string())) };
        let (selector, further) = selector(&steps[1..]);
        let mut next = Vec::new();
        for object in level {
            let children = search.children(object, name);
            if children.objects.is_empty() {
                return Err(no_part(object, name));
            }
            next.extend(children.chosen(name, selector)?);
        }
        (level, steps) = (next, further);
    }
    Ok(level)
}

impl<'a> Search<'a> {
    fn new(objects: &'a Objects<'a>) -> Self {
        Self { objects, templates: HashMap::new(), children: HashMap::new(), walked: None }
    }

    fn find(&mut self, steps: &[Step], found: &mut Finding<'_>) -> Result<(), PathError> {
        let (first, further) = self.first_objects(steps)?;
        self.inside_each(&first, further, found)
    }

    /// Returns the children of an object that have a template.
    fn children(&mut self, object: Object<'a>, template: &str) -> &Candidates<'a> {
        let own = || Candidates::new(object.children_of(template));
        self.children.entry((object.index(), template.to_owned())).or_insert_with(own)
    }

    /// Returns the objects that the first steps of a path select, and the other steps.
    fn first_objects<'s>(&mut self, steps: &'s [Step]) -> Result<(Vec<Object<'a>>, &'s [Step]), PathError> {
        let [Step::Field(template), further @ ..] = steps else {
            return Err("expected the name of a template".into());
        };
        let (selector, further) = selector(further);
        let objects = self.objects;
        let [outermost, all] = self.templates.entry(template.to_string()).or_insert_with(|| {
            let outermost = Candidates::new(objects.roots().filter(|object| object.is(template)));
            // Nested objects are candidates too.
            [outermost, Candidates::new(objects.all().filter(|object| object.is(template)))]
        });
        let is_enough = match selector {
            Some(Step::Every | Step::Matching(_)) => false,
            Some(Step::Named(name, _)) => outermost.has(name),
            _ => !outermost.objects.is_empty(),
        };
        let candidates = if is_enough { outermost } else { all };
        if candidates.objects.is_empty() {
            return Err(no_object(template, objects.all()));
        }
        Ok((candidates.chosen(template, selector)?, further))
    }
}

/// Returns the error for a template without objects.
fn no_object<'a>(template: &str, objects: impl Iterator<Item = Object<'a>>) -> PathError {
    let names: BTreeSet<_> = objects.map(|object| escape(object.template_name())).collect();
    PathError::no_field("X", template, names.iter().map(String::as_str))
}

/// Splits off the step that selects among several objects of a template, if there is one.
fn selector(steps: &[Step]) -> (Option<&Step>, &[Step]) {
    match steps.split_first() {
        Some((step, further)) if step.is_selector() => (Some(step), further),
        _ => (None, steps),
    }
}

impl<'a> Candidates<'a> {
    fn new(objects: impl Iterator<Item = Object<'a>>) -> Self {
        Self { objects: objects.collect(), names: ElementNames::default() }
    }

    /// Returns whether an object has exactly this name.
    fn has(&self, name: &str) -> bool {
        let first = self.select(&Step::Named(name.to_owned(), 1));
        first.is_ok_and(|found| found.iter().any(|object| escape(object.name()) == name))
    }

    /// Returns the objects that a selector selects.
    fn chosen(&self, template: &str, selector: Option<&Step>) -> Result<Vec<Object<'a>>, PathError> {
        match (selector, &self.objects[..]) {
            (Some(selector), _) => self.select(selector),
            (None, [one]) => Ok(vec![*one]),
            (None, objects) => Err(format!(
                "there are {} objects `{template}`; select one, such as `{template}[0]`",
                objects.len()
            )
            .into()),
        }
    }

    fn select(&self, selector: &Step) -> Result<Vec<Object<'a>>, PathError> {
        let name = |object: &Object<'_>| Some(escape(object.name())).filter(|name| !name.is_empty());
        let names = || self.objects.iter().map(name).collect();
        let runs = selector.select_in(self.objects.len(), &self.names, names)?;
        Ok(runs.into_iter().flat_map(|run| &self.objects[run]).copied().collect())
    }
}

impl<'a> Search<'a> {
    /// Follows a path from each object. At least one of them must have what it selects.
    fn inside_each(
        &mut self,
        objects: &[Object<'a>],
        steps: &[Step],
        found: &mut Finding<'_>,
    ) -> Result<(), PathError> {
        let before = found.found.len();
        let mut level = objects.to_vec();
        let mut steps = steps;
        let mut why = None;
        let mut seen = HashSet::new();
        while !level.is_empty() {
            let mut next = Vec::new();
            if steps.is_empty() {
                // Complete objects are selected. An object nested in another is included only once.
                level.retain(|object| seen.insert(object.index()));
            }
            let mut next_steps = steps;
            // All objects of a level have the same template.
            let is_member = level.first().is_some_and(|object| has_member(*object, steps));
            for object in &level {
                let found_inside = if is_member {
                    self.members(*object, steps, found).map(|()| (Vec::new(), steps))
                } else {
                    // Only the first reason is reported.
                    let is_reported = why.is_some();
                    self.inside(*object, steps, found, is_reported)
                };
                match found_inside {
                    Ok((children, further)) => {
                        next.extend(children);
                        next_steps = further;
                    }
                    Err(missing) => why = why.or(Some(missing)),
                }
            }
            (level, steps) = (next, next_steps);
        }
        match why {
            Some(why) if found.found.len() == before => Err(why),
            None if found.found.len() == before => {
                Err(PathError::NoValues("the object has no values".into()))
            }
            _ => Ok(()),
        }
    }

    /// Follows one step from an object to its name or child objects.
    fn inside<'s>(
        &mut self,
        object: Object<'a>,
        steps: &'s [Step],
        found: &mut Finding<'_>,
        is_reported: bool,
    ) -> Result<(Vec<Object<'a>>, &'s [Step]), PathError> {
        let name = match steps.first() {
            // All values of the object and of its children.
            None => {
                let children = object.children().filter_map(Child::object).collect();
                return self.members(object, steps, found).map(|()| (children, steps));
            }
            Some(Step::Field(name)) => name,
            Some(_) => return Err(PathError::NotAList(escape(object.template_name()))),
        };
        if let ([_], "name", Some(at)) = (steps, name.as_ref(), object.name_place()) {
            // What exceeds the limit is reported for the path.
            let _ = found.push(Found { place: Place { at, within: 0 }, role: Role::Free });
            return Ok((Vec::new(), steps));
        }
        let children = self.children(object, name);
        if children.objects.is_empty() {
            return Err(if is_reported { PathError::Other(String::new()) } else { no_part(object, name) });
        }
        let (selector, further) = selector(&steps[1..]);
        Ok((children.chosen(name, selector)?, further))
    }

    /// Follows a path to members of an object, or to all of them.
    fn members(
        &mut self,
        object: Object<'a>,
        steps: &[Step],
        found: &mut Finding<'_>,
    ) -> Result<(), PathError> {
        let Some(template) = object.template() else {
            let why = format!("unknown template `{}`", escape(object.template_name()));
            return Err(if steps.is_empty() { PathError::NoValues(why) } else { why.into() });
        };
        let start = || Layout::new(object.objects().templates(), object.values());
        let walked = if has_member(object, steps) {
            let known = self.walked.take().filter(|(index, _)| *index == object.index());
            let (_, marks) =
                self.walked.insert(known.unwrap_or_else(|| (object.index(), Marks::new(start()))));
            marks.walk(template, steps, found)
        } else {
            Walk::new(start(), found).object(template, steps)
        };
        walked.map_err(|halt| match halt {
            Halt::Value(fault) => fault.kind.to_string().into(),
            Halt::Path(why) => why,
        })
    }
}

/// Returns whether a path goes on into a member of an object.
fn has_member(object: Object<'_>, steps: &[Step]) -> bool {
    let template = object.template();
    matches!(steps.first(), Some(Step::Field(name)) if template.is_some_and(|own| own.members.iter().any(|member| member.is_step(name))))
}

/// Returns the error for a name that is neither a member of an object nor the template of a child.
fn no_part(object: Object<'_>, name: &str) -> PathError {
    let members = object.template().into_iter().flat_map(|template| &template.members);
    let children = object.children().filter_map(Child::object).map(|child| escape(child.template_name()));
    let mut names: Vec<_> = members.map(|member| escape(&member.name)).chain(children).collect();
    names.dedup();
    PathError::no_field(&escape(object.template_name()), name, names.iter().map(String::as_str))
}

/// Returns canonical paths and byte ranges of values. In packed content the range is the complete packed form.
pub(super) fn locations(objects: &Objects<'_>, found: &mut [Found]) -> Vec<Location> {
    let Some(tokens) = objects.tokens() else { return Vec::new() };
    found.sort_by_key(|found| found.place);
    let places = found.iter().map(|found| found.place);
    let leaves = match tokens {
        Tokens::Text(text) => text.leaves_at(places.map(|place| place.at)),
        Tokens::Binary(tokens) => tokens_at(tokens, places),
    };
    let (root, packed) = (objects.base().path(), objects.base().packed());
    let locations = found.iter().zip(leaves).map(|(found, (steps, range))| Location {
        path: root.join(&steps.into()),
        range: packed.clone().unwrap_or(HEADER + range.start..HEADER + range.end),
        role: found.role,
    });
    locations.collect()
}

/// Returns the steps and byte ranges, relative to the list of tokens, of values in ascending order.
fn tokens_at(tokens: &[Token], places: impl Iterator<Item = Place>) -> Vec<(Vec<Step>, Range<u64>)> {
    let (mut next, mut start) = (0, 0);
    let leaves = places.map(|Place { at, within }| {
        start += tokens.get(next..at).unwrap_or_default().iter().map(Value::size).sum::<u64>();
        next = at;
        let token = &tokens[at];
        let mut steps = vec![Step::Field("body".into())];
        match &token.body {
            TokenBody::IntegerList(_) | TokenBody::FloatList(_) => {
                steps.extend([Step::Field("values".into()), Step::Index(within)]);
            }
            TokenBody::Name(_) | TokenBody::String(_) => steps.push(Step::Field("text".into())),
            _ => {}
        }
        let located = locate(token, &steps.clone().into()).expect("the token has the value");
        steps.insert(0, Step::Index(at));
        let range = &located[0].range;
        (steps, start + range.start..start + range.end)
    });
    leaves.collect()
}
