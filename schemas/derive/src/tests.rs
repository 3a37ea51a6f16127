//! Unsupported definitions are rejected with a message that states what to write instead.

use syn::{DeriveInput, parse_quote};

use crate::derived;

/// Returns the message for a rejected definition.
fn refused(input: &DeriveInput) -> String {
    derived(input).expect_err("a definition that must be rejected").to_string()
}

macro_rules! refusals {
    ($($name:ident { $($definition:tt)* } $message:literal)+) => {$(
        #[test]
        fn $name() {
            let message = refused(&parse_quote!($($definition)*));
            assert!(message.contains($message), "{message}");
        }
    )+};
}

refusals! {
    an_index_states_its_objects {
        #[binrw]
        struct Weight { #[schema(index_of(none = -1))] bone: i32 }
    } "expected text in quotes"

    an_index_has_few_options {
        #[binrw]
        struct Weight { #[schema(index_of("bone", from = 1))] bone: i32 }
    } "an index has a kind of objects in quotes, none = -1 and upper"

    a_count_directive_reserves_what_it_is_told {
        #[binrw]
        struct Mesh { num_points: u32, #[br(count = num_points)] points: Vec<u8> }
    } "use `List<T>` with `args(num.into())`"

    a_region_has_a_tail {
        #[binrw]
        struct Chunk { size: u32, #[br(args(size.into(), ()))] body: Region<Body> }
    } "add `pub tail: Tail` after it"

    a_tail_has_a_region {
        #[binrw]
        struct Chunk { #[br(args(4))] tail: Tail }
    } "follows a `Region`"

    a_layout_in_a_file_has_a_size {
        #[binrw]
        struct Surface { ofs_shaders: i32, #[br(args(ofs_shaders))] parts: Layout<Parts> }
    } "use `Region<Layout<..>>`"

    padding_loses_bytes {
        #[binrw]
        struct Wedge { #[brw(pad_after = 2)] point: u16 }
    } "padding has bytes: give it a field"

    mapping_to_a_bool_loses_bits {
        #[binrw]
        struct Group { #[br(map = |flag: u8| flag != 0)] hidden: bool }
    } "keep the stored type and offer the other view as a method"

    a_field_without_bytes_is_no_field {
        #[binrw]
        struct Mesh { width: u16, #[br(calc = width * 2)] #[bw(ignore)] double: u16 }
    } "a value without bytes is a method"

    a_field_that_is_not_stored_must_follow_from_others {
        #[binrw]
        struct Mesh { #[br(temp)] num_points: u16 }
    } "add #[bw(try_calc = count(list))]"

    a_computed_field_is_not_stored_as_well {
        #[binrw]
        struct Mesh { #[bw(calc = 1)] version: u16 }
    } "add #[br(temp)]"

    a_magic_without_a_field_has_no_name {
        #[binrw]
        #[brw(magic = b"MESH")]
        struct Mesh { version: u32 }
    } "its bytes need a name too"

    an_absent_value_has_no_other_default {
        #[binrw]
        struct Mesh { version: u32, #[br(if(version > 1, 7))] extra: u32 }
    } "an absent field is an `Option`"

    try_swallows_the_cause_of_damage {
        #[binrw]
        struct Mesh { #[br(try)] extra: Option<u32> }
    } "use `Part<T>`"

    fields_stand_in_the_order_of_the_file {
        #[binrw]
        struct Mesh { #[br(seek_before = SeekFrom::Start(4))] extra: u32 }
    } "fields must be in the order of the file"

    an_enum_of_binrw_swallows_the_real_error {
        #[binrw]
        enum Token { Name(u32) }
    } "a choice is read by its tag"

    a_choice_has_a_tag {
        enum Token { Name(u32) }
    } "specify the tag that selects a body: #[schema(tag(name: Type))]"

    a_body_is_told_by_its_tag {
        #[schema(tag(kind: u16))]
        enum Token { Name(u32) }
    } "specify the tag of this body"

    a_choice_has_a_form_for_other_tags {
        #[schema(tag(kind: u16))]
        enum Token { #[schema(tag = 1)] Name(u32) }
    } "add a form for other tags"

    a_closed_choice_has_no_form_for_other_tags {
        #[schema(tag(kind: u16), closed)]
        enum Token { #[schema(raw)] Name(u32) }
    } "a closed choice has no form for other tags"

    a_stored_count_contradicts_its_list {
        #[binrw]
        struct Mesh { num: u16, #[br(args(num.into()))] points: List<u16> }
    } "#[count_of(points)]"

    a_stored_size_contradicts_its_bytes {
        #[binrw]
        struct Image { len: u32, #[br(args(i64::from(len)))] pixels: Blob }
    } "#[size_of(pixels)]"

    a_stored_count_contradicts_other_lists {
        #[binrw]
        struct Mesh { num: u32, #[br(parse_with = list_with, args(num as i64, (1,)))] points: List<Point> }
    } "#[count_of(points)]"

    a_stored_tag_contradicts_its_choice {
        #[binrw]
        struct Chunk { id: u16, #[br(args(id))] body: Body }
    } "#[tag_of(body)]"

    a_stored_flag_contradicts_what_is_present {
        #[binrw]
        struct Key { flags: Flags, #[br(if(flags.has_scale()))] scale: Option<f32> }
    } "#[schema(decides = \"scale\")]"

    a_checksum_that_is_computed_replaces_a_wrong_one {
        #[binrw]
        struct Mesh { points: [u16; 4], #[br(temp)] #[bw(calc = sum(points))] sum: u16 }
    } "let it follow from the content"

    a_published_argument_is_not_a_text {
        #[binrw]
        struct Chunk { size: u32, #[schema(args("size - 2"))] data: Blob }
    } "an argument is an expression, without quotes"

    an_expression_that_cannot_be_published_is_refused {
        #[binrw]
        struct Mesh { #[schema(decides = "extra")] flags: u32, #[br(if(flags.pow(2) > 3))] extra: Option<u32> }
    } "the published schema cannot express this"

    the_derive_stands_above_binrw {
        struct Mesh { version: u32 }
    } "derive(Schema) must be above #[binrw]"

    a_flag_word_fills_its_bytes {
        #[bitfield]
        struct Flags { selected: bool, #[skip] __: B11 }
    } "a flag word has 8, 16, 32 or 64 bits, got 12"

    an_enumeration_of_bits_would_panic {
        #[bitfield]
        struct Flags { mode: Mode }
    } "enumerations would panic"

    a_misspelt_hint_is_no_hint {
        #[binrw]
        struct Mesh { #[schema(sister("normals"))] points: u32 }
    } "`sister` is not a hint"

    a_misspelt_hint_on_a_variant_is_no_hint {
        #[schema(tag(kind: u16))]
        enum Token { #[schema(tag = 1, same_length_as("kind"))] Name(u32) }
    } "`same_length_as` is not a hint for a variant; use tag, magic, when, raw, ksy, args, axis, length, point or matrix"

    a_misspelt_hint_on_a_choice_is_no_hint {
        #[schema(tags(kind: u16))]
        enum Token { #[schema(tag = 1)] Name(u32) }
    } "`tags` is not a hint for a choice; use tag, import, params or closed"

    an_xml_hint_consists_of_names_and_known_options {
        #[binrw]
        struct Bone { #[schema(xml("NAME", optional))] name: u8 }
    } "an XML hint has names in quotes"

    a_hint_for_variants_means_nothing_on_a_field {
        #[binrw]
        struct Mesh { #[schema(raw)] points: u32 }
    } "`raw` is not a hint; use one of magic, default,"

    a_struct_of_the_disk_has_named_fields {
        #[binrw]
        struct Mesh(u32);
    } "an on-disk struct has named fields"
}

/// Returns the message for a rejected key.
fn refused_key(input: DeriveInput) -> String {
    crate::on_disk::rewrite(input).expect_err("a key that must be rejected").to_string()
}

#[test]
fn keys_name_parts_of_the_same_struct() {
    let message = refused_key(parse_quote! {
        struct Key { #[flag_of(scale)] flags: Flags, position: Option<u32> }
    });
    assert_eq!(message, "there is no field `scale` after `flags`");
    let message = refused_key(parse_quote! {
        struct Mesh { #[count_of(points)] #[size_of(points)] num: u32, points: List<u8> }
    });
    assert_eq!(message, "a field has one key");
    let message =
        refused_key(parse_quote! { struct Mesh { #[offset_of(points)] start: u32, points: List<u8> } });
    assert!(message.contains("`offset_of(layout.part)`"), "{message}");
    let message = refused_key(parse_quote! { struct Mesh { #[count_of(points, plus = 1)] num: u32 } });
    assert_eq!(message, "only a size has `plus`");
}
