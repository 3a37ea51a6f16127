//! Names of files for what the contents of files call by name.

use std::path::{Component, Path};

use bindpose::scene::{NameTemplate, Placeholder, SafeName, SafeNames, name};
use proptest::prelude::*;

/// Whether a name obeys the rules, as they are stated for systems in general.
fn obeys(name: &str, extension: &str) -> Result<(), TestCaseError> {
    prop_assert!(!name.is_empty() && name.len() <= 255, "{} bytes", name.len());
    prop_assert!(name.ends_with(extension), "{name:?}");
    let path = SafeName::whole(name).inside(Path::new("out"));
    prop_assert_eq!(path.parent(), Some(Path::new("out")));
    let only: Vec<_> = Path::new(name).components().collect();
    prop_assert!(matches!(&only[..], [Component::Normal(_)]), "{name:?}");
    for c in name.chars() {
        prop_assert!(
            !c.is_control() && !"<>:\"/\\|?*\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}".contains(c),
            "{name:?}"
        );
    }
    prop_assert!(!name.starts_with(['.', '-', '@', ' ']) && !name.ends_with(['.', ' ']), "{name:?}");
    let base = name.split('.').next().unwrap_or_default().trim_end().to_uppercase();
    let devices = ["CON", "PRN", "AUX", "NUL", "COM1", "COM¹", "LPT9", "CONIN$", "CONOUT$"];
    prop_assert!(!devices.contains(&&*base), "{name:?} is a device");
    // It is a name for itself.
    let again = SafeName::whole(name);
    prop_assert_eq!(again.as_str(), name);
    Ok(())
}

/// Bytes that have a meaning in names, often enough to meet.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    const PARTS: [&str; 26] = [
        "..", "/", "\\", ".", " ", "CON", "con", "nul.", "COM¹", "LPT9", ":", "\n", "\x1b[31m", "\0",
        "\u{202e}", "\u{200b}", "-o", "@", "_2", "a", "ä", "ß", "日本", ".png", "C:", "~",
    ];
    let part = prop_oneof![
        6 => prop::sample::select(&PARTS[..]).prop_map(|part| part.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..6),
        1 => (prop::sample::select(vec!["x", " ", ".", "é", "\u{1f600}"]), 200..300_usize).prop_map(|(text, n)| text.repeat(n).into()),
    ];
    prop::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_bytes_become_a_name_inside_of_the_directory(bytes in bytes(), extension in prop::sample::select(vec!["caf", "max-mesh+m48.mesh", "png"])) {
        let name = name(&bytes);
        obeys(SafeName::new(&name, extension).as_str(), &format!(".{extension}"))?;
    }

    #[test]
    fn a_template_names_files_inside_of_the_directory(
        parts in prop::collection::vec((bytes(), prop::sample::select(Placeholder::ALL)), 1..4),
        values in [bytes(), bytes(), bytes(), bytes()],
    ) {
        let part = |(text, own): &(Vec<u8>, Placeholder)| format!("{}{{{}}}", name(text), own.name());
        prop_assume!(parts.iter().all(|(text, _)| !text.contains(&b'{')));
        let text: String = parts.iter().map(part).collect();
        let parsed = text.parse::<NameTemplate>();
        prop_assert_eq!(parsed.is_ok(), !text.contains(['/', '\\']), "{:?}", text);
        let Ok(template) = parsed else { return Ok(()) };
        let value = |template: NameTemplate, (own, value): (Placeholder, &Vec<u8>)| template.with(own, &name(value));
        let filled = Placeholder::ALL.iter().copied().zip(&values).fold(template, value).name();
        // The values are in the name as they are in the template: no other part of a path is left out.
        prop_assert!(!filled.contains(['/', '\\']), "{:?}", filled);
        obeys(SafeName::new(&filled, "caf").as_str(), ".caf")?;
    }

    #[test]
    fn no_two_names_are_equal_where_case_is_ignored(all in prop::collection::vec(bytes(), 1..12), repeated in 1..4) {
        let mut names = SafeNames::default();
        let mut known = std::collections::HashSet::new();
        for bytes in all.iter().cycle().take(all.len() * usize::try_from(repeated).unwrap()) {
            let own = names.add(&name(bytes), "psa");
            obeys(own.as_str(), ".psa")?;
            prop_assert!(known.insert(own.as_str().to_lowercase()), "{own:?} twice");
        }
    }
}

#[test]
fn names_keep_what_is_permitted() {
    let names = [
        ("Walk fast", "Walk fast.caf"),
        ("Armature|Walk", "Armature_Walk.caf"),
        ("skins/hero", "hero.caf"),
        ("C:\\art\\hero\\", "hero.caf"),
        ("...", "unnamed.caf"),
        ("AUX.old", "AUX_.old.caf"),
        ("Console", "Console.caf"),
        ("-rf", "_rf.caf"),
        ("h\\xfcfte", "h_xfcfte.caf"),
    ];
    for (text, expected) in names {
        assert_eq!(SafeName::new(text, "caf").as_str(), expected);
    }
    // A backslash that is a part of a character of another encoding.
    assert_eq!(SafeName::new(&name(b"\x83\x5c\x81"), "caf").as_str(), "_x81.caf");
    let long = SafeName::new(&"é".repeat(200), "caf");
    assert_eq!((long.as_str().len(), long.as_str().ends_with("é.caf")), (254, true));
}

/// The number of allocations is proportional to that of the names, whatever their order is.
#[test]
fn equal_names_cost_linear_time() {
    let cost = |count: usize, of: &dyn Fn(usize) -> String| {
        let all: Vec<_> = (0..count).map(of).collect();
        let info = allocation_counter::measure(|| {
            let mut names = SafeNames::default();
            for name in &all {
                names.add(name, "caf");
            }
        });
        info.count_total
    };
    let long = "x".repeat(300);
    let orders: [&dyn Fn(usize) -> String; 4] = [
        &|_| "walk".into(),
        &|index| format!("walk_{}", index % 500),
        // Different names that become equal where a number follows.
        &|index| format!("{}{}", &long[..250], index / 2),
        &|index| format!("{long}{index}"),
    ];
    for (place, of) in orders.into_iter().enumerate() {
        let (one, two) = (cost(2_000, of), cost(4_000, of));
        assert!(two * 10 <= one * 25, "order {place}: {one} and {two} allocations");
    }
}
