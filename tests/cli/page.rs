//! Pages that `preview` writes.

use super::sandbox::{Sandbox, sample};

const VIEWER: &str = "<!doctype html>\n<body><!-- files --></body>\n";

#[test]
fn a_page_contains_the_files_and_their_images() {
    let sandbox = Sandbox::new();
    sandbox.write("viewer.html", VIEWER);
    sandbox.write("a&b.psk", sample("corpus/psk/set.psk"));
    sandbox.write("notes.txt", "To do:");
    let mut tent = bindpose::decode(&sample("corpus/ms3d/tent.ms3d")).unwrap();
    tent.set("materials[0].texture", "wall.PNG").unwrap();
    sandbox.write("tent.ms3d", tent.encode().unwrap());
    sandbox.write("wall.png", [1, 2, 3]);
    let ran = sandbox.run(&["preview", "tent.ms3d", "a&b.psk", "-o", "page.html", "--viewer", "viewer.html"]);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    let page = std::fs::read_to_string(sandbox.path("page.html")).unwrap();
    let lines: Vec<_> = page.lines().collect();
    let start = |name: &str| format!("<script type=\"application/octet-stream\" data-file=\"{name}\">");
    assert!(lines[1].starts_with(&format!("<body>{}TVMzRDAwMDAwM", start("tent.ms3d"))), "{}", lines[1]);
    assert!(lines[2].starts_with(&start("a&amp;b.psk")), "{}", lines[2]);
    assert_eq!(lines[3], format!("{}AQID</script>", start("wall.png")));
    assert_eq!(lines[4], "</body>");
}

#[test]
fn a_page_needs_a_viewer_and_files() {
    let sandbox = Sandbox::new();
    sandbox.write("viewer.html", VIEWER);
    sandbox.write("other.html", "<p>To do:");
    sandbox.write("empty/notes.txt", "To do:");
    sandbox.write("tent.ms3d", sample("corpus/ms3d/tent.ms3d"));
    for (arguments, code, message) in [
        (&["tent.ms3d", "--viewer", "other.html"][..], 2, "other.html: not a viewer of bindpose"),
        (&["empty", "--viewer", "viewer.html"], 6, "no file of a supported format was found"),
        (&["tent.ms3d", "--viewer", "viewer.html", "--bones"], 2, "apply to pictures only"),
        (&["tent.ms3d", "--viewer", "none.html"], 3, "none.html: "),
    ] {
        let ran = sandbox.run(&[&["preview", "-o", "page.html"], arguments].concat());
        assert_eq!(ran.code, code, "{}", ran.err);
        assert!(ran.err.contains(message), "{}", ran.err);
        assert!(!sandbox.path("page.html").exists());
    }
}
