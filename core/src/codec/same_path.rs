//! Law 6: the fast path reads and writes exactly what the definition does.

use std::io::Seek;

use binrw::{BinRead, BinResult, BinWrite, Endian};

use super::memory_writer::MemoryWriter;
use crate::schema::{BulkWith, Schema};
use crate::wire::{List, Source, Wire, list_with};

/// Checks the law for the value at the start of some bytes, and for the list of all consecutive values. Returns the
/// size of the value; `None` if the bytes are not a value of this type, or the type has no fast path.
///
/// ```
/// use bindpose::codec::same_path;
/// use bindpose::formats::ms3d::Keyframe;
/// assert_eq!(same_path::<Keyframe>(&[0x7f; 20]), Ok(Some(16)));
/// ```
///
/// # Errors
/// The step of the fast path that differs.
pub fn same_path<T: Schema + Wire>(bytes: &[u8]) -> Result<Option<usize>, String> {
    if !T::BULK {
        return Ok(None);
    }
    let definition = |source: &mut Source<'_>| T::read_options(source, Endian::Little, ());
    let list = |source: &mut Source<'_>, count| List::read_options(source, Endian::Little, (count,));
    let Some((value, size)) = compare(bytes, definition, T::decode_prefix)? else { return Ok(None) };
    let own = &bytes[..size];
    let mut steps = vec![("span", T::span(bytes) == Some(size))];
    if let Some(fixed) = T::FIXED {
        let mut put = vec![0; size];
        value.put(&mut put);
        steps.extend([("FIXED", fixed == size), ("put", put == own), ("get", written(&T::get(own)) == own)]);
    }
    all_hold(steps)?;
    compare_lists(bytes, definition, list).map(|()| Some(size))
}

/// As [`same_path`], for a type whose definition takes arguments.
///
/// ```
/// use bindpose::codec::same_path_with;
/// use bindpose::formats::cal3d::BlendVertex;
/// assert_eq!(same_path_with::<BlendVertex, _>(&[0x7f; 50], (2,)), Ok(Some(44)));
/// ```
///
/// # Errors
/// The step of the fast path that differs.
pub fn same_path_with<T, A>(bytes: &[u8], args: A) -> Result<Option<usize>, String>
where
    T: BulkWith<A> + for<'a> BinRead<Args<'a> = A> + for<'a> BinWrite<Args<'a> = ()>,
    A: Clone,
{
    if !<T as BulkWith<A>>::BULK {
        return Ok(None);
    }
    let definition = |source: &mut Source<'_>| T::read_options(source, Endian::Little, args.clone());
    let decode = |bytes: &[u8]| T::decode_prefix_with(bytes, args.clone());
    let list = |source: &mut Source<'_>, count| list_with(source, Endian::Little, (count, args.clone()));
    let Some((_, size)) = compare(bytes, definition, decode)? else { return Ok(None) };
    compare_lists(bytes, definition, list).map(|()| Some(size))
}

/// Compares what the definition and the fast path read and write. Returns the value at the start and its size.
fn compare<T: Schema + for<'a> BinWrite<Args<'a> = ()>>(
    bytes: &[u8],
    definition: impl Fn(&mut Source<'_>) -> BinResult<T>,
    decode: impl Fn(&[u8]) -> Option<(T, usize)>,
) -> Result<Option<(T, usize)>, String> {
    let (slow, quick, size) = match (definition(&mut Source::new(bytes)), decode(bytes)) {
        (Ok(slow), Some((quick, size))) => (slow, quick, size),
        (Err(_), None) => return Ok(None),
        (slow, quick) => {
            let (slow, quick) = (slow.is_ok(), quick.is_some());
            return Err(format!("read by the definition: {slow}, by decode_prefix: {quick}"));
        }
    };
    let own = &bytes[..size];
    all_hold(vec![
        ("decode_prefix, read by the definition", written(&slow) == own),
        ("decode_prefix, written by the definition", written(&quick) == own),
        ("append_to, read by the definition", !T::APPENDS || appended(&slow) == own),
        ("append_to, read by decode_prefix", !T::APPENDS || appended(&quick) == own),
    ])?;
    Ok(Some((slow, size)))
}

fn all_hold(steps: Vec<(&str, bool)>) -> Result<(), String> {
    match steps.into_iter().find(|(_, holds)| !holds) {
        Some((step, _)) => Err(format!("{step} differs")),
        None => Ok(()),
    }
}

/// Checks all consecutive values in the bytes, one by one and as a list.
fn compare_lists<T: Schema + for<'a> BinWrite<Args<'a> = ()>>(
    bytes: &[u8],
    definition: impl Fn(&mut Source<'_>) -> BinResult<T>,
    list: impl FnOnce(&mut Source<'_>, i64) -> BinResult<List<T>>,
) -> Result<(), String> {
    let mut source = Source::new(bytes);
    let (mut count, mut end) = (0, 0);
    while definition(&mut source).is_ok() {
        let at = source.stream_position().map_err(|error| error.to_string())?;
        if at == end {
            return Ok(());
        }
        (count, end) = (count + 1, at);
    }
    let own = &bytes[..usize::try_from(end).map_err(|error| error.to_string())?];
    let list = list(&mut Source::new(own), count);
    let list = list.map_err(|error| format!("a list of {count}: {error}"))?;
    if written(&list) == own { Ok(()) } else { Err(format!("a list of {count} differs")) }
}

fn written<T: for<'a> BinWrite<Args<'a> = ()>>(value: &T) -> Vec<u8> {
    let mut writer = MemoryWriter::after(Vec::new());
    match value.write_options(&mut writer, Endian::Little, ()) {
        Ok(()) => writer.into_bytes(true),
        Err(_) => Vec::new(),
    }
}

fn appended<T: Schema>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.append_to(&mut bytes);
    bytes
}
