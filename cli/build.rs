//! Embeds the viewer of `preview` if `BINDPOSE_VIEWER` is the path of a built page.
#![allow(clippy::disallowed_methods, reason = "Cargo reads the output")]

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-env-changed=BINDPOSE_VIEWER");
    println!("cargo::rustc-check-cfg=cfg(viewer)");
    let Ok(page) = std::env::var("BINDPOSE_VIEWER") else { return };
    let page = Path::new(&page).canonicalize().expect("BINDPOSE_VIEWER is the path of viewer.html");
    println!("cargo::rerun-if-changed={}", page.display());
    println!("cargo::rustc-env=BINDPOSE_VIEWER_PAGE={}", page.display());
    println!("cargo::rustc-cfg=viewer");
}
