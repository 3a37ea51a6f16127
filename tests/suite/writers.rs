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

#[test]
fn files_of_each_branch_of_cal3d_have_its_writer() {
    let marks =
        [("classic", "0.11"), ("imvu", "IMVU"), ("svn1300", "1300"), ("mp1301", "1301"), ("mp1300", "early")];
    let mut seen = HashSet::new();
    for sample in folders::samples("corpus").filter(|own| own.kind.family() == "cal3d") {
        let dialect = sample.file.dialect().expect("a dialect");
        let mark = marks.iter().find(|(name, _)| *name == dialect).map(|(_, mark)| *mark);
        let writer = sample.file.writer();
        assert!(
            mark.zip(writer).map_or(mark == writer, |(mark, name)| name.contains(mark)),
            "{}",
            sample.name
        );
        seen.insert(dialect);
    }
    assert_eq!(seen.len(), marks.len() + 1, "{seen:?}");
}

#[test]
fn marks_of_writers_are_recognised() {
    let writer = |sample: &str, values: &[(&str, &str)]| {
        let mut file = folders::sample(sample).file;
        for (path, value) in values {
            file.set_text(path, value).expect("a value");
        }
        file.writer()
    };
    let skeleton = "corpus/max/two.max-skeleton.skel";
    let names = folders::sample(skeleton).file.get_text("bones[*].name").expect("names");
    let own: Vec<_> =
        names.iter().enumerate().map(|(at, (_, name))| (format!("bones[{at}].parent_name"), name)).collect();
    let own: Vec<_> = own.iter().map(|(path, name)| (&**path, &***name)).collect();
    assert_eq!(writer(skeleton, &[]), None);
    assert_eq!(writer(skeleton, &own[..1]), None);
    assert!(writer(skeleton, &own).is_some_and(|name| name.contains("2013")));
    let model = "corpus/ms3d/extra1.ms3d";
    assert_eq!(writer(model, &[]), None);
    assert!(
        writer(model, &[("vertex_extra.records[0].weights[0]", "101")])
            .is_some_and(|name| name.contains("255"))
    );
}
