//! The paths of the words of an XML form by the fields of the binary form: the inverse of [`resolve`](super::path).

use std::collections::HashMap;

use super::form::Form;
use super::path::{exists, name_of};
use super::walk::{Place, Visitor, walk};
use super::{Document, Piece};
use crate::Result;
use crate::formats::object_paths::Translate;
use crate::schema::{FieldPath, Items, Step, Value, by_name};

/// The words of a document: where each is among the fields of the binary form.
#[derive(Default)]
pub(in crate::formats::cal3d) struct Words {
    records: Vec<Record>,
    /// The open records.
    open: Vec<usize>,
    /// By the index of the token.
    by_token: HashMap<usize, Word>,
    /// The text of the last path.
    text: String,
}

struct Record {
    /// The record with the list that this one is in.
    parent: Option<usize>,
    /// The steps from there; by name, if it has one.
    steps: Vec<Step>,
    name: Option<String>,
    form: &'static Form,
}

struct Word {
    record: usize,
    field: usize,
    row: Option<usize>,
    nth: Option<usize>,
}

impl Words {
    pub(in crate::formats::cal3d) fn of(document: &Document, form: &'static Form) -> Self {
        let mut own = Self::default();
        // Words before an error are found.
        let _ = walk(document, form, None, &mut own);
        own.name_records();
        own
    }

    /// Replaces the indices of records by their names.
    fn name_records(&mut self) {
        let mut lists: HashMap<(Option<usize>, Vec<Step>), Vec<usize>> = HashMap::new();
        for (index, record) in self.records.iter().enumerate() {
            let Some((_, list)) = record.steps.split_last() else { continue };
            lists.entry((record.parent, list.to_vec())).or_default().push(index);
        }
        for list in lists.into_values() {
            let names: Vec<_> = list.iter().map(|index| self.records[*index].name.clone()).collect();
            for (index, step) in list.into_iter().zip(by_name(&names)) {
                if let (Some(last), Some(step)) = (self.records[index].steps.last_mut(), step) {
                    *last = step;
                }
            }
        }
    }

    fn push_record(&self, index: usize, steps: &mut Vec<Step>) {
        let record = &self.records[index];
        if let Some(parent) = record.parent {
            self.push_record(parent, steps);
        }
        steps.extend_from_slice(&record.steps);
    }
}

impl<'a> Visitor<'a> for Words {
    fn enter(&mut self, place: &Place<'_, 'a>, _: Option<&mut dyn Items>) -> Result<()> {
        let parent = self.open.last().copied();
        let outer: usize = self.open.iter().map(|open| self.records[*open].steps.len()).sum();
        let steps = place.path.get(outer..).unwrap_or_default().to_vec();
        let name = name_of(place).filter(|name| !name.is_empty());
        self.open.push(self.records.len());
        self.records.push(Record { parent, steps, name, form: place.form });
        Ok(())
    }

    fn field(
        &mut self,
        place: &Place<'_, 'a>,
        _: Option<&mut dyn Value>,
        field: usize,
        words: &[Piece<'a>],
    ) -> Result<()> {
        let Some(record) = self.open.last().copied() else { return Ok(()) };
        let own = &place.form.fields[field];
        let row = place.row;
        let is_part = own.is_of_many();
        for (nth, word) in words.iter().enumerate() {
            let nth = is_part.then_some(nth);
            let steps: Vec<_> =
                own.steps.iter().cloned().chain(row.into_iter().chain(nth).map(Step::Index)).collect();
            if exists(place.form, &steps).is_ok() && (is_part || words.len() == 1) {
                self.by_token.insert(word.index(), Word { record, field, row, nth });
            }
        }
        Ok(())
    }

    fn leave(&mut self, _: &Place<'_, 'a>, _: Option<&mut dyn Value>, _: &[usize]) -> Result<()> {
        self.open.pop();
        Ok(())
    }
}

impl Translate for Words {
    fn path(&mut self, path: &FieldPath) -> Option<FieldPath> {
        let [Step::Field(tokens), Step::Index(token)] = path.steps() else { return None };
        let Word { record, field, row, nth } = self.by_token.get(token).filter(|_| tokens == "tokens")?;
        let mut steps = Vec::new();
        self.push_record(*record, &mut steps);
        steps.extend_from_slice(&self.records[*record].form.fields[*field].steps);
        steps.extend(row.iter().chain(nth).map(|index| Step::Index(*index)));
        Some(steps.into())
    }

    fn text(&mut self, path: &FieldPath) -> Option<[&str; 2]> {
        let path = self.path(path)?;
        let name = path.steps().iter().rposition(|step| matches!(step, Step::Named(..)));
        let object = path.prefix(name.map_or(0, |at| at + 1)).to_string().len();
        self.text = path.to_string();
        Some(self.text.split_at(object).into())
    }
}
