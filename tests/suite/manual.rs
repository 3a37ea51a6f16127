//! The manual in `docs/`: its tables match the shapes, and its links have targets.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use bindpose::FileKind;
use bindpose::formats::psk;
use bindpose::schema::{Count, FieldShape, FlagsShape, Identity, Length, RecordShape, Role, Schema, Shape};

use crate::folders;

fn manual() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

fn pages() -> Vec<(PathBuf, String)> {
    let pages = folders::files(&manual()).filter(|(path, _)| path.extension().is_some_and(|ext| ext == "md"));
    pages.map(|(path, bytes)| (path, String::from_utf8(bytes).expect("UTF-8"))).collect()
}

#[test]
fn the_layout_tables_are_fresh_and_every_format_has_one() {
    let mut found = BTreeSet::new();
    for (path, page) in pages() {
        let fresh = with_chunks(&with_tables(&page, &mut found));
        if page != fresh && std::env::var_os("BLESS").is_some() {
            fs::write(&path, &fresh).expect("the page");
        }
        let there = fs::read_to_string(&path).expect("the page").replace('\r', "");
        assert!(there == fresh, "{} is stale: run BLESS=1 cargo test manual", path.display());
    }
    let all: BTreeSet<_> = FileKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(found, all, "formats with a table in docs/formats");
}

#[test]
fn the_links_of_the_manual_have_targets() {
    for (path, page) in pages() {
        let folder = path.parent().expect("a folder");
        let links = page.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
        for link in links {
            let file = link.split(['#', ':']).next().unwrap_or_default();
            let is_local = !file.is_empty() && !link.contains("://");
            assert!(!is_local || folder.join(file).exists(), "{}: {link} leads nowhere", path.display());
        }
    }
}

#[test]
fn the_summary_lists_every_page() {
    let summary = fs::read_to_string(manual().join("SUMMARY.md")).expect("the summary");
    for (path, _) in pages() {
        let page = path.strip_prefix(manual()).expect("a page").display().to_string().replace('\\', "/");
        assert!(
            page == "SUMMARY.md" || summary.contains(&format!("({page})")),
            "{page} is not in SUMMARY.md"
        );
    }
}

/// A block after a comment with the path of a file shows a part of that file.
#[test]
fn code_of_the_manual_is_that_of_the_repository() {
    let mut num = 0;
    for (path, page) in pages() {
        for part in page.split("<!-- ").skip(1) {
            let Some((file, block)) = part.split_once(" -->\n```") else { continue };
            let shown = block.split_once('\n').and_then(|(_, rest)| rest.split_once("```\n"));
            let (shown, _) = shown.unwrap_or_else(|| panic!("{}: a block after {file}", path.display()));
            let source = fs::read_to_string(folders::own("..").join(file)).expect(file);
            assert!(source.replace('\r', "").contains(shown), "{}: {file} differs", path.display());
            num += 1;
        }
    }
    assert!(num > 2, "{num} blocks");
}

/// Transcripts are run by the tests of the command, which cannot run a shell.
#[test]
fn commands_of_the_manual_are_transcripts() {
    for (path, page) in pages() {
        for block in page.split("```sh\n").skip(1) {
            let lines = block.split("```").next().unwrap_or_default().lines();
            for line in lines.filter(|line| line.starts_with("bindpose ")) {
                assert!(line.contains(" > "), "{}: write `{line}` in a block ```console", path.display());
            }
        }
    }
}

const START: &str = "<!-- layout ";
const END: &str = "<!-- end of layout -->\n";

/// The page with fresh tables between its marks.
fn with_tables(page: &str, found: &mut BTreeSet<&'static str>) -> String {
    let mut parts = page.split(START);
    let mut fresh = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(" -->\n").expect("a mark: <!-- layout FORMAT -->");
        let (_, rest) = rest.split_once(END).expect("the mark that ends a layout");
        let kind = FileKind::from_name(name).unwrap_or_else(|| panic!("{name} is not a format"));
        found.insert(kind.name());
        _ = write!(fresh, "{START}{name} -->\n{}\n{END}{rest}", tables(&kind.shape()));
    }
    fresh
}

const CHUNKS_START: &str = "<!-- chunks ";
const CHUNKS_END: &str = "<!-- end of chunks -->\n";

/// The page with fresh tables of chunks between its marks.
fn with_chunks(page: &str) -> String {
    let mut parts = page.split(CHUNKS_START);
    let mut fresh = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(" -->\n").expect("a mark: <!-- chunks psk -->");
        let (_, rest) = rest.split_once(CHUNKS_END).expect("the mark that ends a table of chunks");
        let content = match name {
            "psk" => psk::Content::Mesh,
            "psa" => psk::Content::Animations,
            name => panic!("{name} has no chunks"),
        };
        _ = write!(fresh, "{CHUNKS_START}{name} -->\n\n{}\n{CHUNKS_END}{rest}", chunks(content));
    }
    fresh
}

/// The table of the kinds of chunks of a format.
fn chunks(content: psk::Content) -> String {
    let Shape::Choice(records) = psk::Records::shape() else { panic!("records are a choice") };
    let mut table =
        String::from("| chunk | bytes per record | presence | records |\n| --- | --- | --- | --- |\n");
    for kind in psk::CHUNKS.iter().filter(|kind| kind.content == content) {
        let id = kind.id_text();
        let quoted = format!("\"{id}\"");
        let chosen = |field: &&FieldShape| {
            field.name != "raw" && field.condition.is_some_and(|when| when.to_string().contains(&quoted))
        };
        let docs: Vec<_> = records.fields.iter().filter(chosen).map(|field| field.doc).collect();
        let id = match kind.id {
            psk::IdPattern::Prefix(_) => format!("`{id}`\\*"),
            psk::IdPattern::Suffix(_) => format!("\\*`{id}`"),
            _ => format!("`{id}`"),
        };
        let sizes: Vec<_> = kind.record_sizes.iter().map(ToString::to_string).collect();
        let (sizes, docs) = if kind.is_head() {
            ("none".into(), "Begins the file.".into())
        } else {
            (sizes.join(" or "), docs.join(" "))
        };
        let presence = match kind.presence {
            psk::Presence::Since(psk::stamp::FIRST) => "required".into(),
            psk::Presence::Since(stamp) => format!("required since revision {stamp}"),
            psk::Presence::Only(program) => format!("only {program} writes it"),
            _ => "optional".into(),
        };
        _ = writeln!(table, "| {id} | {sizes} | {presence} | {docs} |");
    }
    table
}

/// A table for the root, and one for each record in it.
fn tables(root: &Shape) -> String {
    let mut records = Vec::new();
    collect(root, &mut records);
    records.into_iter().map(Table::text).collect()
}

/// A type with a table of its own.
enum Table<'a> {
    Record(&'a RecordShape),
    Flags(&'a FlagsShape),
}

impl Table<'_> {
    fn name(&self) -> &'static str {
        match self {
            Self::Record(record) => record.name,
            Self::Flags(flags) => flags.name,
        }
    }

    fn text(self) -> String {
        match self {
            Self::Record(record) => table(record),
            Self::Flags(flags) => flags_table(flags),
        }
    }
}

fn collect<'a>(shape: &'a Shape, records: &mut Vec<Table<'a>>) {
    match shape {
        Shape::Record(record) | Shape::Choice(record)
            if !records.iter().any(|known| known.name() == record.name) =>
        {
            records.push(Table::Record(record));
            record.fields.iter().for_each(|field| collect(&field.shape, records));
        }
        Shape::Flags(flags) if !records.iter().any(|known| known.name() == flags.name) => {
            records.push(Table::Flags(flags));
        }
        Shape::List(inner, _)
        | Shape::Optional(inner)
        | Shape::Part(inner)
        | Shape::Placed(inner)
        | Shape::Region(inner)
        | Shape::Written { of: inner, .. }
        | Shape::Packed { content: inner, .. } => collect(inner, records),
        _ => {}
    }
}

fn head(name: &str, doc: &str) -> String {
    format!("\n**{name}**: {}\n\n| field | type | meaning |\n| --- | --- | --- |\n", line(doc))
}

fn flags_table(flags: &FlagsShape) -> String {
    let mut table = head(flags.name, flags.doc);
    _ = writeln!(table, "| `raw` | {} | All bits as one number. |", flags.word);
    for bit in flags.bits {
        _ = writeln!(table, "| `{}` | `{}` | {} |", bit.name, bit.expression(), line(bit.doc));
    }
    table
}

fn table(record: &RecordShape) -> String {
    let mut table = head(record.name, record.doc);
    let gaps = record.fields.iter().filter(|field| is_gap(field)).count();
    for field in record.fields.iter().filter(|field| !is_gap(field)) {
        _ = writeln!(table, "| `{}` | {} | {} |", field.name, kind_of(field), meaning(field));
    }
    if gaps > 0 {
        _ = writeln!(
            table,
            "| `gap_0` to `gap_{}` | bytes, optional | Bytes before a part that belong to no other one. |",
            gaps - 1
        );
    }
    table
}

/// Whether a field has the bytes before a part of a layout.
fn is_gap(field: &FieldShape) -> bool {
    field.name.strip_prefix("gap_").is_some_and(|place| place.parse::<usize>().is_ok())
}

fn kind_of(field: &FieldShape) -> String {
    // The first two of a placed part are its offset and its count.
    let own = if matches!(field.shape, Shape::Placed(_)) { field.args.get(2) } else { field.args.first() };
    let argument = own.map_or_else(|| "n".into(), ToString::to_string);
    let words = field.meaning().into_iter().map(|(key, word)| format!("{}: {word}", key.replace('_', " ")));
    let words = words.collect::<Vec<_>>().join(", ");
    let words = if words.is_empty() { words } else { format!(" ({words})") };
    format!("{}{words}", type_name(&field.shape, &argument)).replace('|', "\\|")
}

fn meaning(field: &FieldShape) -> String {
    let condition = field.condition.map(|condition| format!(" Present if `{condition}`."));
    let cases = field.identity.and_then(Identity::sentence).map(|text| format!(" {text}"));
    let role = match field.role {
        _ if !field.doc.is_empty() => String::new(),
        Role::Counts(target) => format!("The length of `{}`.", target.trim_end_matches(".as_ref()")),
        Role::Places(target) if matches!(field.shape, Shape::List(..)) => {
            format!("The offsets of the elements of `{target}`.")
        }
        Role::Places(target) => format!("The offset of `{target}`."),
        _ => String::new(),
    };
    let parts = [line(field.doc), role, cases.unwrap_or_default(), condition.unwrap_or_default()];
    parts.concat().replace('|', "\\|").trim().to_owned()
}

/// The first paragraph on one line, without links of the Rust documentation.
fn line(doc: &str) -> String {
    let paragraph = doc.split("\n\n").next().unwrap_or_default();
    let mut line = paragraph.replace('\n', " ");
    while let Some((before, rest)) = line.split_once("](")
        && let (Some((start, text)), Some((_, after))) = (before.rsplit_once('['), rest.split_once(')'))
    {
        line = format!("{start}{text}{after}");
    }
    line.replace("[`", "`").replace("`]", "`")
}

fn type_name(shape: &Shape, argument: &str) -> String {
    match shape {
        Shape::Record(record) | Shape::Choice(record) => record.name.to_owned(),
        Shape::Written { name, .. } => (*name).to_owned(),
        Shape::Optional(inner) | Shape::Part(inner) => format!("{}, optional", type_name(inner, argument)),
        Shape::Placed(inner) | Shape::Region(inner) => type_name(inner, argument),
        Shape::Packed { content, .. } => format!("packed {}", type_name(content, argument)),
        Shape::Bytes(length) => match length {
            Length::Text(size) => format!("text, {size} bytes"),
            Length::Argument => format!("bytes, `{argument}`"),
            Length::Prefix(counter) => format!("{} length, then bytes", type_name(counter, argument)),
            Length::Ended(counter) => {
                format!("{} length, then text with its NUL", type_name(counter, argument))
            }
            Length::Padding(to) => format!("bytes up to a multiple of {to}"),
            Length::Terminated => "text up to a NUL".into(),
            Length::ToEnd => "bytes to the end".into(),
            Length::Damage => "bytes, none in a valid file".into(),
        },
        Shape::List(item, count) => {
            let item = type_name(item, argument);
            match count {
                Count::Fixed(len) => format!("{len} × {item}"),
                Count::Argument => format!("list of {item}, `{argument}`"),
                Count::Prefix(counter) | Count::MaybeCounted(counter) => {
                    format!("{} count, then list of {item}", type_name(counter, argument))
                }
                Count::ToEnd => format!("list of {item} to the end"),
            }
        }
        Shape::Scalar(number) => number.to_string(),
        Shape::Flags(flags) => flags.name.to_owned(),
        _ => "–".into(),
    }
}
