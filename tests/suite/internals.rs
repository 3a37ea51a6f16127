//! Parts of the library whose faults no file would show.

use bindpose::codec::{Format, first_change_outside};
use bindpose::formats::psk::{Psk, Records};
use bindpose::internals::decl_type::{
    self, D3DCOLOR, DEC3N, FLOAT1, FLOAT2, FLOAT3, FLOAT16_4, SHORT2, SHORT4N, UBYTE4N, USHORT2N,
};
use bindpose::internals::{Names, cycles, fvf_elements, known, unknown, value};
use bindpose::schema::{head_size, join_fixed, tag_of};

/// Decodes two records and returns whether they have a meaning.
fn is_typed(id: &str, data_size: i32) -> bool {
    let mut bytes = Psk::blank_file().encode().expect(id);
    let start = bytes.len();
    bytes.extend(id.as_bytes());
    bytes.resize(start + 24, 0);
    bytes.extend([data_size, 2].map(i32::to_le_bytes).concat());
    bytes.resize(bytes.len() + 2 * data_size.unsigned_abs() as usize, 0x3c);
    let file = Psk::decode(&bytes).expect(id);
    let records = &file.chunks[1].records;
    assert_eq!((records.data_size(), records.len()), (data_size, 2), "{id}");
    assert_eq!(file.encode().expect(id), bytes, "{id}");
    !matches!(records, Records::Raw(_))
}

#[test]
fn every_id_of_the_table_of_psk_selects_typed_records() {
    for (id, size) in known() {
        assert!(is_typed(&id, size), "{id} of {size} bytes");
    }
    for (id, size) in unknown() {
        assert!(!is_typed(&id, size), "{id} of {size} bytes");
    }
}

#[test]
fn words_match_their_types() {
    let halves = |low: u16, high: u16| u32::from(low) | u32::from(high) << 16;
    let one = 1.0_f32.to_bits();
    for (kind, words, expected) in [
        (FLOAT2, &[one, 2.0_f32.to_bits()][..], [1.0, 2.0, 0.0, 1.0]),
        (FLOAT3, &[one, 0, one], [1.0, 0.0, 1.0, 1.0]),
        (D3DCOLOR, &[0x0033_FF00], [0.2, 1.0, 0.0, 0.0]),
        (UBYTE4N, &[0x0033_FF00], [0.0, 1.0, 0.2, 0.0]),
        (SHORT2, &[halves(3, 0xFFFE)], [3.0, -2.0, 0.0, 1.0]),
        (SHORT4N, &[halves(32767, 0x8001), halves(0, 32767)], [1.0, -1.0, 0.0, 1.0]),
        (USHORT2N, &[halves(65535, 0)], [1.0, 0.0, 0.0, 1.0]),
        (DEC3N, &[511 | 513 << 10], [1.0, -1.0, 0.0, 1.0]),
        // 1, -2, the least above 0 and the greatest.
        (FLOAT16_4, &[halves(0x3C00, 0xC000), halves(1, 0x7BFF)], [1.0, -2.0, 2.0_f32.powi(-24), 65504.0]),
    ] {
        let bits = |own: [f32; 4]| own.map(f32::to_bits);
        assert_eq!(bits(value(kind, words)), bits(expected), "type {kind}");
        assert_eq!(decl_type::words(kind), Some(words.len()), "type {kind}");
    }
}

#[test]
fn the_elements_of_an_fvf_are_in_the_order_of_direct3d() {
    // A position with two weights, a normal, a colour, and texture coordinates of two and three components.
    let (places, others) = fvf_elements(0x0008 | 0x10 | 0x40 | 2 << 8 | 1 << 18);
    assert_eq!(places, [(FLOAT3, 0, 0), (FLOAT1, 1, 0), (FLOAT1, 1, 1)]);
    assert_eq!(others, [(FLOAT3, 3, 0), (D3DCOLOR, 10, 0), (FLOAT2, 5, 0), (FLOAT3, 5, 1)]);
}

#[test]
fn names_that_exporters_changed_are_matched() {
    let names: [&[u8]; 3] = [b"Bip01 L Hand", b"Spine", b"joint.12"];
    let names = Names::new(names.into_iter());
    let near = |name: &[u8]| names.near(name).map(<[u8]>::to_vec);
    for same in [&b"bip01_l_hand"[..], b"Bip01 L Hand  ", b"Bip01 L Hand.001", b"hero:Bip01 L Hand"] {
        assert_eq!(near(same).as_deref(), Some(&b"Bip01 L Hand"[..]), "{}", same.escape_ascii());
    }
    assert_eq!(near(b"joint.1"), None);
    assert!(names.has(b"Spine") && !names.has(b"spine"));
}

#[test]
fn every_cycle_is_reported_once() {
    assert!(cycles(&[None, Some(0), Some(1), Some(9)]).is_empty());
    assert_eq!(cycles(&[Some(0)]), [0]);
    assert_eq!(cycles(&[Some(1), Some(2), Some(1), Some(0)]), [1]);
    assert_eq!(cycles(&[Some(1), Some(0), None, Some(4), Some(3)]).len(), 2);
}

#[test]
fn an_edit_of_other_bytes_breaks_the_law() {
    let whole = std::slice::from_ref(&(1..2));
    assert_eq!(first_change_outside(b"abc", b"abc", &[]), None);
    assert_eq!(first_change_outside(b"abc", b"axc", whole), None);
    assert_eq!(first_change_outside(b"abc", b"axx", whole), Some(2));
    assert_eq!(first_change_outside(b"abc", b"xxx", whole), Some(0));
    assert_eq!(first_change_outside(b"abc", b"axc", &[0..1, 2..3]), Some(1));
}

#[test]
fn a_definition_has_the_size_of_its_fields() {
    assert_eq!(join_fixed(&[]), Some(0));
    assert_eq!(join_fixed(&[Some(4), Some(3)]), Some(7));
    assert_eq!(join_fixed(&[Some(4), None, Some(3)]), None);
    assert_eq!(head_size(&[Some(4), Some(3)]), 7);
    assert_eq!(head_size(&[Some(4), Some(3), None, Some(2)]), 7);
}

#[test]
fn a_magic_is_a_little_endian_number() {
    assert_eq!(tag_of(b"ms01"), i64::from(u32::from_le_bytes(*b"ms01")));
    assert_eq!(tag_of(b"bindpose"), i64::from_le_bytes(*b"bindpose"));
}
