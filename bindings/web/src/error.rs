//! Errors of the library as errors of JavaScript.

use bindpose::{Error, ErrorKind};
use js_sys::{JSON, Reflect};
use serde::Serialize;
use wasm_bindgen::JsValue;

/// Translates an error; its offset, path and kind become properties.
pub(crate) fn js_error(error: &Error) -> JsValue {
    let translated = js_sys::Error::new(&error.to_string());
    let set = |name: &str, value: JsValue| _ = Reflect::set(&translated, &name.into(), &value);
    set("name", "BindposeError".into());
    set("kind", error.kind().name().into());
    set("path", error.path().to_string().into());
    set("offset", offset(error.offset()).into());
    if let ErrorKind::Foreign(foreign) = error.kind() {
        set("help", foreign.advice().into());
    }
    translated.into()
}

/// Converts an offset: exact up to 2^53, more than any address.
#[expect(clippy::cast_precision_loss, reason = "no file in memory has offsets above 2^53")]
pub(crate) const fn offset(offset: u64) -> f64 {
    offset as f64
}

/// Converts a description to an object.
pub(crate) fn to_js(value: &impl Serialize) -> Result<JsValue, JsValue> {
    let text = serde_json::to_string(value);
    JSON::parse(&text.map_err(|error| js_sys::Error::new(&error.to_string()))?)
}
