//! The table of writers.

use std::collections::HashSet;

use bindpose::formats::Writer;

use crate::folders;

#[test]
fn the_page_of_all_writers_is_fresh() {
    let path = folders::own("../docs").join("writers.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, Writer::page()).expect("the page of writers");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default().replace('\r', "");
    assert!(there == Writer::page(), "docs/writers.md is stale: run BLESS=1 cargo test writers");
}

#[test]
fn every_writer_is_in_the_table_once() {
    let names: HashSet<_> = Writer::all().map(|writer| writer.name).collect();
    assert_eq!(names.len(), Writer::all().count());
    for sample in folders::samples("corpus") {
        assert!(sample.file.writer().is_none_or(|name| Writer::named(name).is_some()), "{}", sample.name);
    }
}
