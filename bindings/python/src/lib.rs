//! The Python package `bindpose`: translates types and errors, and nothing else.
//!
//! Classes and functions are documented for Python; `bindpose/_bindpose.pyi` has their types.

#![expect(
    clippy::doc_markdown,
    clippy::doc_link_with_quotes,
    reason = "docstrings follow the conventions of Python"
)]
#![expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]

mod arrays;
mod edit;
mod error;
mod examine;
mod file;
mod html;
mod input;
mod map;
mod records;
mod save;
mod scene;
mod tree;
mod value;
mod view;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with these arguments, the first of them its own name, and returns its exit code.
#[pyfunction]
fn _run(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(|| bindpose_cli::status(args))
}

/// Reads, checks and edits skeletal mesh and animation files without losing a byte.
#[pymodule(gil_used = false)]
mod _bindpose {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::_run;
    #[pymodule_export]
    use crate::edit::{follow, merge, merge3, names, references, remove, rename, transform};
    #[pymodule_export]
    use crate::error::BindposeError;
    #[pymodule_export]
    use crate::examine::{
        check, check_set, examine, examine_many, fix, formats, propose, rescue, roundtrip, rules, schema,
    };
    #[pymodule_export]
    use crate::file::{PyFile, blank, decode, from_json, open, restore};
    #[pymodule_export]
    use crate::input::PyLimits;
    #[pymodule_export]
    use crate::map::Map;
    #[pymodule_export]
    use crate::save::{safe_name, save_below, save_set};
    #[pymodule_export]
    use crate::scene::{Clip, PyScene, restore_clip, restore_scene, scene, sidecars};
    #[pymodule_export]
    use crate::tree::tree;
    #[pymodule_export]
    use crate::view::{List, Record};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
