//! Checksums: numbers that follow from the content.

use bindpose::codec::{Format, Generate, Info};
use bindpose::schema::{append, contradictions, on_disk, set_text};
use bindpose::wire::{Claim, Counted};
use bindpose::{Options, Result, check_format, rescue_format};

use super::*;

/// Blocks behind the sum of their sums.
#[on_disk]
struct Summed {
    #[schema(magic = b"SUMS")]
    id: FixedStr<4>,
    #[follows(sum_claim = blocks.iter().fold(0, |sum, block| sum ^ sum_of(&block.bytes)))]
    sum: u32,
    blocks: Counted<u8, Block>,
    /// The sum, where it is wrong.
    sum_claim: Claim<u32>,
    rest: Rest,
}

#[on_disk]
struct Block {
    bytes: Counted<u8, u8>,
    #[follows(sum_claim = sum_of(bytes))]
    sum: u32,
    /// The sum, where it is wrong.
    sum_claim: Claim<u32>,
}

fn sum_of(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

impl Format for Summed {
    const INFO: Info = Info::new("summed", "Sums").with_extensions(&["sum"]).with_magic(b"SUMS");

    fn args(_: &[u8], _: &Options) -> Result<()> {
        Ok(())
    }
}

impl Generate for Summed {}

bindpose::laws!(Summed);

/// A file with two blocks, the sum of the second of which is another one.
fn wrong() -> Vec<u8> {
    let mut file = Summed::blank_file();
    for list in ["blocks", "blocks", "blocks[0].bytes", "blocks[1].bytes"] {
        append(&mut file, &list.parse().expect("a path")).expect("a list");
    }
    let mut bytes = file.encode().expect("a file");
    let last = bytes.len() - 4;
    bytes[last] ^= 1;
    bytes
}

fn wrong_sums(file: &Summed) -> Vec<String> {
    contradictions(file).iter().map(|own| own.path.to_string()).collect()
}

#[test]
fn an_edit_changes_a_right_number_and_keeps_a_wrong_one() {
    let mut file: Summed = survives(&wrong());
    assert_eq!(wrong_sums(&file), ["blocks[1].sum"]);
    for path in ["blocks[0].bytes[0]", "blocks[1].bytes[0]"] {
        set_text(&mut file, &path.parse().expect("a path"), "7").expect("a byte");
    }
    let edited = Summed::decode(&file.encode().expect("a file")).expect("a file");
    assert_eq!(wrong_sums(&edited), ["blocks[1].sum"]);
    assert_eq!(edited.blocks[1].sum_claim, file.blocks[1].sum_claim);
    let refused = set_text(&mut file, &"blocks[0].sum".parse().expect("a path"), "1").unwrap_err();
    assert!(refused.to_string().contains("follows from the content"), "{refused}");
}

#[test]
fn json_states_wrong_numbers_only() {
    let bytes = wrong();
    let mut text = Vec::new();
    Summed::decode(&bytes).expect("a file").write_json(&mut text).expect("memory takes all");
    let text = String::from_utf8(text).expect("text");
    assert_eq!(text.matches("\"sum\"").count(), 1, "{text}");
    assert_eq!(Summed::read_json(&mut text.as_bytes()).expect("a file").encode().expect("a file"), bytes);
    let edited = text.replacen("\"bytes\": [0]", "\"bytes\": [7]", 1);
    assert_ne!(edited, text);
    let edited = Summed::read_json(&mut edited.as_bytes()).expect("a file");
    assert_eq!(wrong_sums(&edited), ["blocks[1].sum"]);
}

#[test]
fn a_wrong_number_is_a_finding_and_is_right_after_a_rescue() {
    let bytes = wrong();
    let file = Summed::decode(&bytes).expect("a file");
    let report = check_format(&file, &bytes, 9);
    let found: Vec<_> = report.findings.iter().map(|own| (own.rule.code, own.path.to_string())).collect();
    assert_eq!(found, [("own/contradiction", "blocks[1].sum".to_owned())]);
    let rescued = rescue_format::<Summed>(&[&bytes[..], b"?"].concat(), &Options::default()).expect("a file");
    let file = Summed::decode(&rescued.bytes).expect("a file");
    assert_eq!(wrong_sums(&file), [""; 0]);
}
