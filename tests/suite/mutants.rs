//! The faults that `.ci/mutants` tries.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

#[test]
fn the_text_of_each_fault_occurs_once() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = fs::read_to_string(root.join("tests/mutants.txt")).expect("a list");
    let mut texts: HashMap<&str, String> = HashMap::new();
    let (mut place, mut wrong) = ("", Vec::new());
    for (number, line) in (1..).zip(list.lines()) {
        if let Some(original) = line.strip_prefix("- ") {
            let text = texts.entry(place).or_insert_with(|| {
                fs::read_to_string(root.join(place)).unwrap_or_else(|why| panic!("{place}: {why}"))
            });
            let original = original.replace(['«', '»'], "");
            let count = text.matches(&original).count();
            if count != 1 {
                wrong.push(format!("tests/mutants.txt:{number}: {count} times in {place}: {original}"));
            }
        } else if !line.starts_with(['#', '+', '=']) {
            place = line;
        }
    }
    assert!(!texts.is_empty(), "no fault");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
