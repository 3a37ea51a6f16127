//! The features of the derive and the field types, each tested on a small struct: reading, writing, walking, editing,
//! publishing.

mod big_endian;
mod choice_by_id_and_size;
mod choice_by_tag;
mod claims;
mod counts;
mod counts_in_arrays;
mod created;
mod custom_count;
mod debug_texts;
mod dialects;
mod elements_with_arguments;
mod fast_path;
mod fields_by_flags;
mod grammars;
mod keys;
mod layouts;
mod long_tokens;
mod padding;
mod plain;
mod recursion;
mod sentinel;
mod shapes;
mod small_parts;
mod special;
mod streams;
mod tail_parts;
mod texts;
mod trimmed;

use std::io::Cursor;
use std::ops::ControlFlow;

use bindpose::formats::unigine::CInt;
use bindpose::schema::{self, Role, Schema, Shape, Value};
use bindpose::wire::{
    Blob, Counted, FixedStr, LenStr, List, Part, Rest, Source, Stream, Wire, count, counted_with, len,
    list_each, list_while, list_with,
};
use bindpose::{ErrorKind, FieldPath};
use binrw::{BinRead, BinWrite, Endian, binrw};
use modular_bitfield::prelude::*;
use proptest::prelude::*;

fn read<T: for<'a> BinRead<Args<'a> = A>, A>(bytes: &[u8], args: A) -> T {
    T::read_options(&mut Source::new(bytes), Endian::Little, args).expect("a value")
}

fn written<T: for<'a> BinWrite<Args<'a> = ()>>(value: &T) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    value.write_options(&mut bytes, Endian::Little, ()).expect("bytes");
    bytes.into_inner()
}

/// Returns `path start..end value` of every leaf.
fn map(value: &dyn Value) -> Vec<String> {
    let mut lines = Vec::new();
    let _ = schema::leaves(value, &mut |place, leaf| {
        let mut text = String::new();
        leaf.show(&mut text).expect("a text");
        lines.push(format!("{} {}..{} {text}", place.path, place.offset, place.offset + leaf.size()));
        ControlFlow::Continue(())
    });
    lines
}

fn set(value: &mut dyn Value, path: &str, text: &str) -> Result<(), String> {
    let path: FieldPath = path.parse().expect("a path");
    schema::set_text(value, &path, text).map(drop).map_err(|error| error.to_string())
}

/// Reads, writes, and asserts that the map reaches the end.
fn survives<T>(bytes: &[u8]) -> T
where
    T: Schema + for<'a> BinRead<Args<'a> = ()> + for<'a> BinWrite<Args<'a> = ()>,
{
    let value: T = read(bytes, ());
    assert_eq!(written(&value), bytes);
    assert_eq!(value.size(), bytes.len() as u64);
    value
}
