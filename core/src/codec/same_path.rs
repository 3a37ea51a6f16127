//! Law 6: the fast path reads and writes exactly what the definition does.

use std::io::Seek;

use binrw::{BinRead, BinWrite, Endian};

use super::memory_writer::MemoryWriter;
use crate::schema::Schema;
use crate::wire::{List, Source, Wire};

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
    let mut source = Source::new(bytes);
    let slow = T::read_options(&mut source, Endian::Little, ());
    let (slow, quick, size) = match (slow, T::decode_prefix(bytes)) {
        (Ok(slow), Some((quick, size))) => (slow, quick, size),
        (Err(_), None) => return Ok(None),
        (slow, quick) => {
            let (slow, quick) = (slow.is_ok(), quick.is_some());
            return Err(format!("read by the definition: {slow}, by decode_prefix: {quick}"));
        }
    };
    let own = &bytes[..size];
    let mut steps = vec![
        ("span", T::span(bytes) == Some(size)),
        ("decode_prefix, read by the definition", written(&slow) == own),
        ("decode_prefix, written by the definition", written(&quick) == own),
        ("append_to, read by the definition", appended(&slow) == own),
        ("append_to, read by decode_prefix", appended(&quick) == own),
    ];
    if let Some(fixed) = T::FIXED {
        let mut put = vec![0; size];
        slow.put(&mut put);
        steps.extend([("FIXED", fixed == size), ("put", put == own), ("get", written(&T::get(own)) == own)]);
    }
    match steps.into_iter().find(|(_, holds)| !holds) {
        Some((step, _)) => Err(format!("{step} differs")),
        None => list::<T>(bytes).map(|()| Some(size)),
    }
}

/// Checks all consecutive values in the bytes, one by one and as a list.
fn list<T: Schema + Wire>(bytes: &[u8]) -> Result<(), String> {
    let mut source = Source::new(bytes);
    let (mut count, mut end) = (0, 0);
    while T::read_options(&mut source, Endian::Little, ()).is_ok() {
        let at = source.stream_position().map_err(|error| error.to_string())?;
        if at == end {
            return Ok(());
        }
        (count, end) = (count + 1, at);
    }
    let own = &bytes[..usize::try_from(end).map_err(|error| error.to_string())?];
    let list = List::<T>::read_options(&mut Source::new(own), Endian::Little, (count,));
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
