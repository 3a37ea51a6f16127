//! Objects as HTML, for notebooks.

use pyo3::prelude::*;

/// Returns a table with a caption; rows without a value are left out.
pub fn table(
    py: Python<'_>,
    caption: &str,
    rows: impl IntoIterator<Item = (&'static str, String)>,
) -> PyResult<String> {
    let escape = py.import("html")?.getattr("escape")?;
    let escaped = |text: &str| -> PyResult<String> { escape.call1((text,))?.extract() };
    let rows = rows.into_iter().filter(|(_, value)| !value.is_empty());
    let rows = rows.map(|(name, value)| Ok(format!("<tr><th>{name}</th><td>{}</td></tr>", escaped(&value)?)));
    let rows = rows.collect::<PyResult<String>>()?;
    Ok(format!("<table><caption>{}</caption>{rows}</table>", escaped(caption)?))
}
