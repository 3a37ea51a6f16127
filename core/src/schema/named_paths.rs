//! Paths as people read them: the inverse of aliases, and of names in paths.

use std::collections::HashMap;
use std::ops::ControlFlow::{Break, Continue};
use std::sync::Arc;

use super::resolve::{name_of, value_at};
use super::{FieldPath, Items, Node, Step, Value, unpadded};

/// Translates canonical paths to those with the names of elements, and with the short names of lists where the format has them:
/// `bones["hip"].name` for `chunks[5].records[6].name`. Paths to values that are near each other are fast.
///
/// ```
/// use bindpose::FileKind;
/// use bindpose::schema::{NamedPaths, locate};
/// let mut file = FileKind::Ms3d.blank();
/// file.append("joints")?;
/// file.set("joints[0].name", "hip")?;
/// let path = "joints[0].rotation[1]".parse()?;
/// let named = NamedPaths::new(file.value()).path(&path).expect("the joint has a name");
/// assert_eq!(named.to_string(), r#"joints["hip"].rotation[1]"#);
/// assert_eq!(locate(file.value(), &named)?[0].path, path);
/// # Ok::<(), bindpose::Error>(())
/// ```
pub struct NamedPaths<'a> {
    root: &'a dyn Value,
    /// The steps of the last path.
    levels: Vec<Level>,
    /// The translation of the last path.
    steps: Vec<Step>,
    text: String,
    /// Lists whose elements have no names.
    nameless: Vec<Nameless>,
    /// The names in the lists that were last used.
    lists: HashMap<FieldPath, Arc<ListNames>>,
}

/// A step of the last path.
struct Level {
    step: Step,
    /// Whether the translation to here differs from the path.
    is_named: bool,
    /// The number of steps of the translation to here, and the length of its text.
    len: usize,
    text_len: usize,
    /// The length of the text to the last name.
    object_len: usize,
    /// Whether a short name has replaced the steps before it.
    is_short: bool,
    names: Names,
}

/// The names in the list that a step selects from.
#[derive(Clone, Default)]
enum Names {
    /// Not read.
    #[default]
    Unknown,
    /// No element has a name.
    Absent,
    Known(Arc<ListNames>),
}

impl Names {
    /// Returns the step by the name of an element.
    fn get(&self, index: usize) -> Option<Step> {
        if let Self::Known(names) = self { names.get(index)?.clone() } else { None }
    }
}

/// Lists of one type, whose elements have no names.
struct Nameless {
    /// The steps to the innermost choice around the lists: other elements can have other types.
    within: Vec<Step>,
    /// The fields from there on.
    fields: Vec<Step>,
}

impl Nameless {
    fn contains(&self, list: &[Step]) -> bool {
        let Some(further) = list.strip_prefix(&self.within[..]) else { return false };
        self.fields.iter().eq(fields(further))
    }
}

fn fields(steps: &[Step]) -> impl Iterator<Item = &Step> {
    steps.iter().filter(|step| !matches!(step, Step::Index(_)))
}

/// The step by its name of each element of a list; none for an element without a name.
type ListNames = Vec<Option<Step>>;

/// The number of lists whose names are kept.
const KEPT: usize = 64;

impl std::fmt::Debug for NamedPaths<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("NamedPaths").finish_non_exhaustive()
    }
}

impl<'a> NamedPaths<'a> {
    /// Creates a translator for the paths of a file.
    #[must_use]
    pub fn new(root: &'a dyn Value) -> Self {
        let (levels, steps, text) = Default::default();
        Self { root, levels, steps, text, nameless: Vec::new(), lists: HashMap::new() }
    }

    /// Returns the path by names; nothing where the canonical path has no other form.
    pub fn path(&mut self, path: &FieldPath) -> Option<FieldPath> {
        self.follow(path).then(|| self.steps.clone().into())
    }

    /// Returns the text of the same path: that up to the last name, and the rest.
    pub fn text(&mut self, path: &FieldPath) -> Option<[&str; 2]> {
        let is_named = self.follow(path);
        let object = self.levels.last()?.object_len;
        is_named.then(|| self.text.split_at(object).into())
    }

    /// Translates a path, and returns whether the result differs from it.
    fn follow(&mut self, path: &FieldPath) -> bool {
        let pairs = self.levels.iter().zip(path.steps());
        let mut common = pairs.take_while(|(level, step)| level.step == **step).count();
        if self.levels[common..].iter().any(|level| level.is_short) {
            common = 0;
        }
        // Neighbours are elements of the same list.
        let mut names = self.levels.get(common).map_or(Names::Unknown, |level| level.names.clone());
        self.levels.truncate(common);
        let (len, text_len) = self.levels.last().map_or((0, 0), |level| (level.len, level.text_len));
        self.steps.truncate(len);
        self.text.truncate(text_len);
        for at in common..path.steps().len() {
            self.push(path, at, std::mem::take(&mut names));
        }
        self.levels.last().is_some_and(|level| level.is_named)
    }

    fn push(&mut self, path: &FieldPath, at: usize, names: Names) {
        let step = path.steps()[at].clone();
        let before = self.levels.last();
        let (mut is_named, mut object_len) =
            before.map_or((false, 0), |level| (level.is_named, level.object_len));
        let names = match (&step, names) {
            (Step::Index(_), Names::Unknown) => self.names(path, at),
            (Step::Index(_), known) => known,
            _ => Names::Unknown,
        };
        let name = if let Step::Index(index) = step { names.get(index) } else { None };
        let is_field = matches!(step, Step::Field(_));
        let short = if is_field { self.root.short(&path.steps()[..=at]) } else { None };
        let is_short = short.is_some();
        if let Some(short) = short {
            self.steps = short.steps().to_vec();
            self.text.clear();
            short.push_to(&mut self.text);
            (is_named, object_len) = (true, self.text.len());
        } else {
            let is_name = name.is_some();
            self.push_step(name.unwrap_or_else(|| step.clone()));
            if is_name {
                (is_named, object_len) = (true, self.text.len());
            }
        }
        let (len, text_len) = (self.steps.len(), self.text.len());
        self.levels.push(Level { step, is_named, len, text_len, object_len, is_short, names });
    }

    fn push_step(&mut self, step: Step) {
        let is_first = self.steps.last().is_none_or(|last| *last == Step::Inside);
        if !is_first && matches!(step, Step::Field(_)) {
            self.text.push('.');
        }
        step.push_to(&mut self.text);
        self.steps.push(step);
    }

    /// Returns the names in the list at the first steps of a path.
    fn names(&mut self, path: &FieldPath, len: usize) -> Names {
        if self.nameless.iter().any(|known| known.contains(&path.steps()[..len])) {
            return Names::Absent;
        }
        let list = path.prefix(len);
        if let Some(known) = self.lists.get(&list) {
            return Names::Known(Arc::clone(known));
        }
        let names = self.root.names_in(list.steps()).map(|names| by_name(&names));
        let names = names.or_else(|| self.names_in_elements(&list));
        let Some(names) = names.map(Arc::new) else {
            let (within, further) = list.steps().split_at(self.innermost_choice(&list));
            let fields = fields(further).cloned().collect();
            self.nameless.push(Nameless { within: within.to_vec(), fields });
            return Names::Absent;
        };
        if self.lists.len() >= KEPT {
            self.lists.clear();
        }
        self.lists.insert(list, Arc::clone(&names));
        Names::Known(names)
    }

    fn names_in_elements(&self, list: &FieldPath) -> Option<ListNames> {
        let names = |value: &dyn Value| {
            if let Node::Items(items) = value.node() { element_names(items) } else { None }
        };
        value_at(self.root, list, names).flatten()
    }

    /// Returns the length of the path to the innermost choice that contains, or is, a list.
    fn innermost_choice(&self, list: &FieldPath) -> usize {
        let is_choice = |len: &usize| {
            value_at(self.root, &list.prefix(*len), |value| value.choice().is_some()) == Some(true)
        };
        (1..=list.steps().len()).rev().find(is_choice).unwrap_or(0)
    }
}

/// Returns the steps by the names of elements; nothing if none has a name.
fn element_names(items: &dyn Items) -> Option<ListNames> {
    let mut names: Vec<Option<String>> = Vec::new();
    let _ = items.each(0, &mut |_, item| {
        let is_record = matches!(item.node(), Node::Record(_));
        let name = name_of(item);
        // The elements of a list have the same fields, and a nameless list can be long.
        let can_end = names.is_empty() && name.is_none() && item.choice().is_none();
        names.push(name.filter(|name| is_record && !name.is_empty()));
        if can_end { Break(()) } else { Continue(()) }
    });
    names.iter().any(Option::is_some).then(|| by_name(&names))
}

/// Returns the step by name that leads to each element. Blanks at the end of a name are left out where it is the only one of its kind.
pub fn by_name(names: &[Option<String>]) -> Vec<Option<Step>> {
    fn core(name: &str) -> &str {
        &name[..unpadded(name.as_bytes()).len()]
    }
    let mut spellings: HashMap<&str, (&str, bool)> = HashMap::new();
    for name in names.iter().flatten() {
        let (first, is_only) = spellings.entry(core(name)).or_insert((name, true));
        *is_only &= *first == name;
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let spelling = |name: &str| {
        let short = core(name);
        let is_short = !short.is_empty() && spellings[short].1;
        if is_short { short.to_owned() } else { name.to_owned() }
    };
    let mut steps = Vec::with_capacity(names.len());
    for name in names {
        steps.push(name.as_ref().map(|name| {
            let nth = counts.entry(name).or_default();
            *nth += 1;
            Step::Named(spelling(name), *nth)
        }));
    }
    steps
}
