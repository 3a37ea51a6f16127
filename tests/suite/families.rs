//! Every list of formats outside of `formats!` is complete: samples, fuzz targets, README, pre-commit hook.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use bindpose::codec::Info;
use bindpose::scene::author::SceneContent;
use bindpose::{FileKind, FormatSpec};

use crate::folders;
use crate::samples::families;

#[test]
fn every_family_has_samples() {
    let families: BTreeMap<_, _> = families().into_iter().map(|family| (family.folder, family)).collect();
    for family in FileKind::ALL.iter().map(|kind| kind.family()) {
        let samples = families.get(family).unwrap_or_else(|| {
            panic!(
                "write tests/suite/samples/{family}.rs, then add `mod {family};` and `{family}::family()` to \
                 tests/suite/samples/mod.rs"
            )
        });
        assert!(!samples.damaged.is_empty(), "tests/suite/samples/{family}.rs has no damaged file");
    }
}

#[test]
fn every_format_has_a_valid_sample() {
    let samples = families().into_iter().flat_map(|family| family.valid);
    let kinds: BTreeSet<_> = samples
        .filter_map(|sample| FormatSpec::detect(sample.name.as_ref(), &sample.bytes))
        .map(|spec| spec.kind)
        .collect();
    for kind in FileKind::ALL {
        assert!(
            kinds.contains(kind),
            "add a {} file to tests/suite/samples/{}.rs",
            kind.name(),
            kind.family()
        );
    }
}

#[test]
fn every_format_has_a_fuzz_target() {
    let read = |path: &str| fs::read_to_string(folders::own(path)).expect(path).replace('\r', "");
    let manifest = read("../fuzz/Cargo.toml");
    let table = read("../fuzz/src/targets.rs");
    for (path, source) in folders::files(&folders::own("../fuzz/fuzz_targets")) {
        let source = str::from_utf8(&source).expect("source code");
        let name = path.file_stem().expect("a name").to_str().expect("a name in ASCII");
        let lines = format!("name = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"\n");
        assert!(
            manifest.contains(&lines),
            "add to fuzz/Cargo.toml:\n\n[[bin]]\n{lines}test = false\ndoc = false\nbench = false\n"
        );
        if name != "any" {
            assert!(source.contains("program!(env!(\"CARGO_BIN_NAME\"))"), "fuzz_targets/{name}.rs");
            assert!(table.contains(&format!("({name:?}, ")), "add {name} to fuzz/src/targets.rs");
        }
    }
    for kind in FileKind::ALL {
        let (family, name) = (kind.family(), kind.type_name());
        assert!(
            table.contains(&format!("formats::{family}::")) && table.contains(&format!("{name}>")),
            "add to fuzz/src/targets.rs:\n\n(\"{family}\", fuzz::<{name}>),\n\nand write \
             fuzz/fuzz_targets/{family}.rs:\n\n#![no_main]\n\n\
             bindpose_fuzz::program!(env!(\"CARGO_BIN_NAME\"));\n"
        );
    }
}

#[test]
fn the_formats_in_the_readme_are_fresh() {
    const START: &str = "<!-- `BLESS=1 cargo test readme` writes this table -->\n";
    let path = folders::own("../README.md");
    let readme = fs::read_to_string(&path).expect("the README").replace('\r', "");
    let (before, rest) = readme.split_once(START).expect("the place of the table");
    let (_, after) = rest.split_once("\n\n").expect("the end of the table");
    let fresh = format!("{before}{START}{}\n{after}", format_table());
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &fresh).expect("the README");
    } else {
        assert!(readme == fresh, "README.md is stale: run BLESS=1 cargo test readme");
    }
}

/// A script on a fresh machine takes the first two commands; CI runs the same ones.
#[test]
fn the_first_two_commands_of_the_readme_run_the_samples_and_the_tests() {
    let readme = fs::read_to_string(folders::own("../README.md")).expect("the README").replace('\r', "");
    let blocks = readme.split("```sh\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    let commands: Vec<_> = blocks.filter(|block| block.starts_with("cargo ")).take(2).collect();
    assert_eq!(commands, ["cargo run -- roundtrip tests/corpus", "cargo test"]);
    let ci = fs::read_to_string(folders::own("../.ci/run")).expect("the checks");
    let lines: Vec<_> = ci.lines().map(str::trim).collect();
    let built = commands[0].replace("cargo run --", "\"$bindpose\"");
    assert!(lines.windows(2).any(|pair| pair == [commands[1], &built]), ".ci/run");
}

/// Paths that the documents for contributors name exist, from the root, such as `core/src/schema/`, or from the folder of modules.
#[test]
fn the_paths_in_the_documents_for_contributors_exist() {
    const ROOTS: [&str; 3] = ["", "src/", "core/src/"];
    const RULES: [&str; 8] = ["any", "cal3d", "iqm", "max", "ms3d", "psk", "unigine", "x"];
    let rules = fs::read_to_string(folders::own("../docs/rules.md")).expect("the rules");
    for document in [
        "../CONTRIBUTING.md",
        "../docs/architecture.md",
        "../docs/design.md",
        "../docs/fuzzing.md",
        "../docs/sources.md",
    ] {
        let text = fs::read_to_string(folders::own(document)).expect(document);
        for path in quoted(&text).filter(|own| own.contains('/')) {
            let is_pattern = path.contains(['<', '*', ' ', '$', '\n']) || path.contains("/X/");
            let is_rule = path.split('/').next().is_some_and(|root| RULES.contains(&root));
            assert!(!is_rule || rules.contains(&format!("`{path}`")), "{document} names the rule {path}");
            // Folders that fuzzing makes.
            let is_made = path.starts_with("fuzz/corpus") || path.starts_with("fuzz/artifacts");
            let exists = |root: &&str| folders::own(&format!("../{root}{path}")).exists();
            assert!(
                is_pattern || is_rule || is_made || ROOTS.iter().any(exists),
                "{document} names {path}, which does not exist"
            );
        }
    }
}

#[test]
fn the_architecture_names_every_module_and_every_folder() {
    let text = fs::read_to_string(folders::own("../docs/architecture.md")).expect("the architecture");
    let named: BTreeSet<_> = quoted(&text).collect();
    let ignored = fs::read_to_string(folders::own("../.gitignore")).expect("the ignored files");
    for folder in ["", "src/", "core/src/"] {
        for entry in fs::read_dir(folders::own(&format!("../{folder}"))).expect("a folder") {
            let entry = entry.expect("an entry");
            let name = entry.file_name().into_string().expect("a name in ASCII");
            let is_folder = entry.file_type().expect("a type").is_dir();
            let is_module = !folder.is_empty()
                && std::path::Path::new(&name).extension().is_some_and(|own| own == "rs")
                && name != "lib.rs";
            let is_ignored = ignored.lines().any(|line| line == name) || is_folder && name.contains('.');
            let path = if is_folder { format!("{folder}{name}/") } else { format!("{folder}{name}") };
            // Folders of packages whose own folders are in the list.
            let is_parent = ["src/", "core/"].contains(&&*path);
            if (is_folder || is_module) && !is_ignored && !is_parent {
                assert!(named.contains(&*path), "docs/architecture.md does not name `{path}`");
            }
        }
    }
}

/// Each row of the table of laws names a test, and where it is.
#[test]
fn the_tests_of_the_laws_exist() {
    let text = fs::read_to_string(folders::own("../docs/architecture.md")).expect("the architecture");
    let (_, laws) = text.split_once("\n## The laws\n").expect("the laws");
    let rows = laws.lines().skip_while(|line| !line.starts_with("| --- ")).skip(1);
    let rows: Vec<_> = rows.take_while(|line| line.starts_with('|')).collect();
    for row in &rows {
        let place = row.rsplit(" | ").next().expect("a cell");
        let [file, law] = quoted(place).collect::<Vec<_>>()[..] else {
            panic!("{row}: expected a file and a test")
        };
        let source = fs::read_to_string(folders::own(&format!("../{file}"))).expect(file);
        let (before, _) =
            source.split_once(&format!("fn {law}(")).unwrap_or_else(|| panic!("{file} has no {law}"));
        let attributes = before.rsplit("\n\n").next().unwrap_or_default();
        let is_run = attributes.contains("#[test]") && !attributes.contains("#[ignore");
        assert!(is_run, "{file}: {law} is not a test of every run");
    }
    assert!(rows.len() > 20, "{} laws", rows.len());
}

/// The words in backquotes, outside of blocks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(|part| part.split('`').skip(1).step_by(2))
}

/// What is in `console` blocks runs in the tests of the command.
#[test]
fn the_commands_in_prose_name_files_that_exist() {
    let known: BTreeSet<_> = FileKind::ALL.iter().flat_map(|kind| kind.info().extensions).copied().collect();
    let pages = [
        "README.md",
        "docs/install.md",
        "docs/quick-start.md",
        "docs/guide/convert.md",
        "docs/guide/edit.md",
    ];
    for page in pages {
        let text = fs::read_to_string(folders::own(&format!("../{page}"))).expect(page);
        for command in quoted(&text).filter(|own| own.starts_with("bindpose ")) {
            let mut words = command.split_whitespace();
            while let Some(word) = words.next() {
                let is_file =
                    word.rsplit_once('.').is_some_and(|(_, own)| known.contains(own) || own == "glb");
                assert!(
                    !is_file || folders::own(&format!("../{word}")).exists(),
                    "{page}: `{command}`: there is no file {word}"
                );
                if word == "-o" {
                    words.next();
                }
            }
        }
    }
}

fn format_table() -> String {
    let mut table = "| name | files of | extensions | dialects |\n| --- | --- | --- | --- |\n".to_owned();
    for kind in FileKind::ALL {
        let Info { name, title, extensions, dialects, .. } = kind.info();
        let extensions: Vec<_> =
            extensions.iter().map(|extension| format!("`.{}`", extension.trim_start_matches('*'))).collect();
        let dialects: Vec<_> = dialects.iter().map(|dialect| format!("`{dialect}`")).collect();
        _ = writeln!(table, "| `{name}` | {title} | {} | {} |", extensions.join(" "), dialects.join(" "));
    }
    table
}

#[test]
fn the_guide_to_conversions_names_every_format_that_can_be_written() {
    let page = fs::read_to_string(folders::own("../docs/guide/convert.md")).expect("the guide");
    let rows = page.lines().skip_while(|line| !line.starts_with("| format | written |"));
    let cells = rows.take_while(|line| line.starts_with('|')).filter_map(|line| line.split('|').nth(1));
    let named: BTreeSet<_> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    for kind in FileKind::ALL {
        let name = kind.name();
        assert!(named.contains(name) == kind.is_authored(), "docs/guide/convert.md: the row of `{name}`");
    }
}

/// A file type of the desktop: its name, the starts of its files, and their extensions.
struct FileType {
    name: String,
    starts: Vec<Vec<u8>>,
    extensions: Vec<String>,
}

impl FileType {
    /// The types of `packaging/share/mime`.
    fn all() -> Vec<Self> {
        let path = folders::own("../packaging/share/mime/packages/bindpose.xml");
        let text = fs::read_to_string(path).expect("the file types");
        let values = |part: &str, key: &str| -> Vec<String> {
            part.split(key).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
        };
        let types = text.split("<mime-type type=\"").skip(1).map(|part| Self {
            name: part.split_once('"').expect("a name").0.to_owned(),
            starts: values(part, " value=\"")
                .iter()
                .map(|own| own.replace("\\0", "\0").into_bytes())
                .collect(),
            extensions: values(part, "<glob pattern=\"*."),
        });
        types.collect()
    }

    /// Returns whether files of a format can start as files of this type do.
    fn is_of(&self, kind: FileKind) -> bool {
        self.starts.iter().any(|start| {
            let mut head = start.clone();
            head.resize(FormatSpec::HEAD, 0);
            kind.recognizes(&head) || kind.info().magic.starts_with(start)
        })
    }
}

#[test]
fn the_file_types_of_the_desktop_have_the_magics_and_extensions_of_the_formats() {
    const FILE: &str = "packaging/share/mime/packages/bindpose.xml";
    let types = FileType::all();
    // UNIGINE's magics are two letters and two digits, one for each version.
    let letters = || b'a'..=b'z';
    let tags = letters().flat_map(|first| letters().map(move |second| [first, second]));
    let tags: Vec<_> =
        tags.flat_map(|tag| (0..100).map(move |own| format!("{}{own:02}", tag.escape_ascii()))).collect();
    for kind in FileKind::ALL {
        let own: Vec<_> = types.iter().filter(|own| own.is_of(*kind)).collect();
        let info = kind.info();
        let mut starts = tags.iter().map(String::as_bytes).filter(|tag| kind.recognizes(tag));
        if own.is_empty() {
            let has_own = info.extensions.iter().any(|own| !info.shared_extensions.contains(own));
            let has_start = !info.magic.is_empty() || starts.next().is_some();
            assert!(!has_own && !has_start, "{FILE}: add a type for {}", info.name);
            continue;
        }
        let [own] = own[..] else { panic!("{FILE}: several types for {}", info.name) };
        for start in starts {
            assert!(
                own.starts.iter().any(|own| own == start),
                "{FILE}: {} lacks {}",
                own.name,
                start.escape_ascii()
            );
        }
        for extension in info.extensions {
            assert!(
                own.extensions.iter().any(|own| own == extension)
                    || info.shared_extensions.contains(extension),
                "{FILE}: {} lacks *.{extension}",
                own.name
            );
        }
    }
    for own in &types {
        let kinds: Vec<_> = FileKind::ALL.iter().filter(|kind| own.is_of(**kind)).collect();
        let [kind] = kinds[..] else { panic!("{FILE}: {} is of {} formats", own.name, kinds.len()) };
        for start in &own.starts {
            let only = FileType { name: String::new(), starts: vec![start.clone()], extensions: Vec::new() };
            assert!(only.is_of(*kind), "{FILE}: {} starts with {}", own.name, start.escape_ascii());
        }
        for extension in &own.extensions {
            assert!(
                kind.info().extensions.contains(&extension.as_str()),
                "{FILE}: {} has *.{extension}",
                own.name
            );
        }
    }
}

#[test]
fn the_thumbnailer_draws_every_format_with_meshes() {
    const FILE: &str = "packaging/share/thumbnailers/bindpose.thumbnailer";
    let text = fs::read_to_string(folders::own(&format!("../{FILE}"))).expect("the thumbnailer");
    let line = text.lines().find_map(|line| line.strip_prefix("MimeType=")).expect("a list of types");
    let drawn: BTreeSet<_> = line.split_terminator(';').collect();
    let has_meshes = |own: &FileType| {
        let mut kinds =
            FileKind::ALL.iter().filter(|kind| kind.scene_contents().contains(&SceneContent::Meshes));
        kinds.any(|kind| own.is_of(*kind))
    };
    let types: Vec<_> = FileType::all().into_iter().filter(has_meshes).collect();
    let expected: BTreeSet<_> = types.iter().map(|own| &*own.name).collect();
    assert_eq!(drawn, expected, "{FILE}");
}

/// The hook runs for extensions that only our formats have, and may name shared ones. The comment lists all others.
#[test]
fn the_pre_commit_hook_names_every_extension() {
    let hooks = fs::read_to_string(folders::own("../.pre-commit-hooks.yaml")).expect("the hooks");
    let pattern = hooks
        .split_once(r"files: &files (?i)\.(")
        .and_then(|(_, rest)| rest.split_once(")$"))
        .expect("a pattern")
        .0;
    let hooked: BTreeSet<_> = pattern.split('|').collect();
    let comment: String = hooks.lines().filter(|line| line.starts_with('#')).collect();
    let mut known = BTreeMap::new();
    for info in FileKind::ALL.iter().map(|kind| kind.info()) {
        for extension in info.extensions {
            known.insert(*extension, info.shared_extensions.contains(extension));
        }
    }
    for (extension, is_shared) in &known {
        let is_left_out = *is_shared && comment.contains(&format!(".{extension}"));
        assert!(
            hooked.contains(extension) || is_left_out,
            "add to .pre-commit-hooks.yaml: `|{extension}` to `files`, or `.{extension}` to the comment if the files of other \
             programs often have that extension"
        );
    }
    for extension in hooked {
        assert!(
            known.contains_key(extension),
            ".pre-commit-hooks.yaml: no format has the extension .{extension}"
        );
    }
}
