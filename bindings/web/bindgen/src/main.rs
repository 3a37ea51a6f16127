//! Writes the JavaScript and the types of a module: `bindpose-bindgen MODULE OUT_DIR`.

use std::env::args;
use std::error::Error;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let [_, module, out] =
        <[String; 3]>::try_from(args().collect::<Vec<_>>()).map_err(|_| "expected MODULE OUT_DIR")?;
    Bindgen::new().input_path(module).out_name("bindpose").web(true)?.generate(out)?;
    Ok(())
}
