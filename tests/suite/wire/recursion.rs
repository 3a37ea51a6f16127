//! A type that contains itself.

use bindpose::codec::{Format, Generate, Info, damage, law};
use bindpose::schema::on_disk;
use bindpose::{Options, Result, imhex, ksy};

use super::*;

/// A node and those below it.
#[on_disk]
#[brw(little)]
#[derive(Clone, Debug, PartialEq)]
struct Tree {
    root: Branch,
    rest: Rest,
}

#[on_disk]
#[derive(Clone, Debug, Default, PartialEq)]
struct Branch {
    #[schema(one_of = &[("bud", 5)])]
    id: u8,
    #[schema(recursive)]
    branches: Counted<u8, Branch>,
}

impl Format for Tree {
    const INFO: Info = Info::new("tree", "A tree").with_extensions(&["tree"]);

    fn args(_: &[u8], _: &Options) -> Result<()> {
        Ok(())
    }
}

impl Generate for Tree {}

bindpose::laws!(Tree);

const BYTES: &[u8] = &[1, 2, 5, 0, 6, 1, 7, 0];

#[test]
fn it_has_paths_json_and_a_schema() {
    let tree = Tree::decode(BYTES).expect("a tree");
    assert!(map(&tree).contains(&"root.branches[1].branches[0].id 6..7 7".to_owned()), "{:?}", map(&tree));
    let mut text = Vec::new();
    tree.write_json(&mut text).expect("memory takes all");
    assert_eq!(Tree::read_json(&mut &text[..]).expect("the tree"), tree);
    let named = String::from_utf8(text).expect("text").replace("\"id\": 5", "\"id\": \"bud\"");
    assert!(named.contains("bud"), "{named}");
    assert_eq!(Tree::read_json(&mut named.as_bytes()).expect("the tree"), tree);
    let meta = ksy::Meta { id: "tree", title: "", extensions: &[], note: "" };
    let schema = ksy::write(&meta, &Tree::shape());
    assert_eq!(schema.matches("type: branch").count(), 2, "{schema}");
    let pattern = imhex::write(&meta, &Tree::shape());
    for line in ["using Branch;", "Branch branches[num_branches]", "enum BranchId : u8", "Tree tree @ 0;"] {
        assert!(pattern.contains(line), "{line}: {pattern}");
    }
    assert!(bindpose::json::describe("tree", &Tree::shape(), None).contains("Branch"));
}

#[test]
fn a_deep_one_is_damage() {
    let deep = [1_u8; 6000];
    law::<Tree>(&deep);
    let why = match Tree::decode(&deep) {
        Err(error) => error,
        Ok(tree) => damage(&tree).expect("damage"),
    };
    assert!(why.to_string().contains("more than 128 levels"), "{why}");
}

/// As a branch, with its elements read one by one.
#[on_disk]
#[derive(Clone, Debug, Default, PartialEq)]
struct Each {
    #[count_of(branches)]
    num_branches: u8,
    #[schema(recursive)]
    #[br(parse_with = list_each, args((0..num_branches).map(|_| ())))]
    #[schema(args(num_branches))]
    branches: List<Each>,
}

#[test]
fn lists_of_all_kinds_are_nested_to_a_limit() {
    let refused = Each::read_options(&mut Source::new(&vec![1; 200_000]), Endian::Little, ());
    let why = refused.expect_err("too deep").to_string();
    assert!(why.contains("more than 128 levels"), "{why}");
}
