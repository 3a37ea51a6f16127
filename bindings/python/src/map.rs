//! The fields of a file with their byte ranges.

use std::collections::VecDeque;
use std::ops::ControlFlow::{Break, Continue};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bindpose::schema::FieldValue;
use pyo3::prelude::*;

use crate::file::State;
use crate::records;
use crate::value::leaf;

/// An iterator over the fields of a file.
#[pyclass(module = "bindpose", frozen)]
#[derive(Debug)]
pub struct Map {
    state: Arc<State>,
    work: Mutex<Work>,
}

#[derive(Debug)]
struct Work {
    /// The ranges that are still to be visited, in ascending order.
    ranges: VecDeque<Range<u64>>,
    fields: VecDeque<Field>,
}

#[derive(Debug)]
struct Field {
    range: Range<u64>,
    path: String,
    type_name: &'static str,
    value: FieldValue,
}

/// The number of fields that are read at a time.
const CHUNK: usize = 4096;

impl Map {
    /// Iterates over the fields within some ranges, as far as they are within another one.
    pub fn new(state: Arc<State>, ranges: &[Range<u64>], within: Range<u64>) -> Self {
        let mut ranges: Vec<_> = ranges
            .iter()
            .map(|range| range.start.max(within.start)..range.end.min(within.end))
            .filter(|range| range.start < range.end)
            .collect();
        ranges.sort_by_key(|range| range.start);
        ranges.dedup();
        Self { state, work: Mutex::new(Work { ranges: ranges.into(), fields: VecDeque::new() }) }
    }
}

impl Work {
    /// Reads the next fields; none at the end.
    fn read(&mut self, state: &State) {
        while self.fields.is_empty() {
            let Some(range) = self.ranges.pop_front() else { return };
            let mut next = None;
            let fields = &mut self.fields;
            let _ = state.file.walk_from(range.start, &mut |place, leaf| {
                let own = place.offset..place.offset + leaf.size();
                if own.start >= range.end {
                    return Break(());
                }
                if fields.len() == CHUNK {
                    next = Some(own.start);
                    return Break(());
                }
                if !own.is_empty() {
                    let (path, value) = (place.path.to_string(), leaf.field_value());
                    fields.push_back(Field { range: own, path, type_name: leaf.type_name(), value });
                }
                Continue(())
            });
            if let Some(next) = next {
                self.ranges.push_front(next..range.end);
            }
        }
    }
}

#[pymethods]
impl Map {
    const fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let next = py.detach(|| {
            let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
            if work.fields.is_empty() {
                work.read(&self.state);
            }
            work.fields.pop_front()
        });
        let Some(Field { range, path, type_name, value }) = next else { return Ok(None) };
        records::make(py, "Field", (range.start, range.end, path, type_name, leaf(py, &value)?)).map(Some)
    }
}
