//! bindpose for browsers and Node.js.
//!
//! Translates types only: the library does the work. Offsets and lengths are numbers, because no file in memory exceeds 4 GiB.

#![expect(clippy::needless_pass_by_value, reason = "wasm-bindgen passes optional texts by value")]

mod convert;
mod depot;
mod edit;
mod error;
mod file;
mod gltf;
mod matches;
mod parts;
mod report;
mod scene;

use bindpose::{FileKind, FormatSpec};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use error::to_js;
use report::Diagnosis;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.d.ts");

/// Returns the version of bindpose.
#[must_use]
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").into()
}

/// Returns the supported formats.
///
/// # Errors
/// Never.
#[wasm_bindgen(unchecked_return_type = "FormatInfo[]")]
pub fn formats() -> Result<JsValue, JsValue> {
    #[derive(Serialize)]
    struct FormatInfo {
        name: &'static str,
        title: &'static str,
        extensions: Vec<&'static str>,
        dialects: &'static [&'static str],
        family: &'static str,
        /// Whether scenes can be written in the format.
        written: bool,
    }
    let infos = FileKind::ALL.iter().map(|kind| (kind, kind.info())).map(|(kind, info)| FormatInfo {
        name: info.name,
        title: info.title,
        extensions: info.extensions.to_vec(),
        dialects: info.dialects,
        family: kind.family(),
        written: kind.is_authored(),
    });
    to_js(&infos.collect::<Vec<_>>())
}

/// Returns the format of a file by its name and its first bytes; `undefined` if it is not supported.
#[must_use]
#[wasm_bindgen]
pub fn detect(head: &[u8], name: &str) -> Option<String> {
    FormatSpec::detect(name.as_ref(), head).map(|spec| spec.to_string())
}

/// Returns the likely causes why a file cannot be decoded.
///
/// # Errors
/// If the format is not known.
#[wasm_bindgen(unchecked_return_type = "Report")]
pub fn diagnose(bytes: &[u8], name: &str, format: Option<String>) -> Result<JsValue, JsValue> {
    let spec = file::spec(bytes, name, format.as_deref())?;
    to_js(&Diagnosis::of(&spec.kind.diagnose(bytes, report::MOST), &mut |_| None))
}
