//! Compact integers of UNIGINE: their widths, and how they are set.

use bindpose::formats::unigine::CInt;
use bindpose::schema::{EditError, Leaf, Schema, Value};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::boundaries::{read, written};

#[test]
fn a_compact_integer_has_the_width_of_the_engine_at_every_boundary() {
    for (value, width) in [
        (0, 1),
        (62, 1),
        (63, 2),
        (8190, 2),
        (8191, 3),
        ((1 << 20) - 2, 3),
        ((1 << 20) - 1, 4),
        ((1 << 27) - 1, 5),
    ] {
        for value in [value, -value] {
            let cint = CInt::new(value).expect("within 31 bits");
            assert_eq!((cint.value(), cint.size()), (value, width));
            assert_eq!(read::<CInt, ()>(&cint.to_bytes(), ()).expect("a value"), cint);
        }
    }
    assert_eq!(CInt::new(0).map(CInt::to_bytes), Some(vec![0]), "a new zero has no sign");
    assert_eq!(CInt::default().type_name(), "cint");
    let most = i64::from(i32::MAX);
    assert_eq!(CInt::new(most).map(CInt::value), Some(most));
    assert_eq!((CInt::new(most + 1), CInt::new(-most - 1)), (None, None));
    assert_eq!(CInt::try_from(7_usize).map(CInt::value), Ok(7));
}

proptest! {
    /// Each byte indicates with equal chance whether another follows, so all widths occur, and all incomplete ones.
    #[test]
    fn a_compact_integer_has_one_definition(bytes in vec(any::<u8>(), 0..8)) {
        let slow = read::<CInt, ()>(&bytes, ()).ok().map(|cint| (cint, usize::try_from(cint.size()).expect("short")));
        prop_assert_eq!(CInt::decode_prefix(&bytes), slow);
        if let Some((cint, len)) = slow {
            let mut again = Vec::from([7]);
            cint.append_to(&mut again);
            prop_assert_eq!(&again[1..], &bytes[..len]);
            prop_assert_eq!(written(&cint), &bytes[..len]);
        }
    }
}

#[test]
fn a_compact_integer_keeps_its_width_if_its_value_does_not_change() {
    let mut padded: CInt = read(&[0x82, 0x00], ()).expect("a padded two");
    padded.assign("-2").expect("a value");
    assert_eq!(padded.to_bytes(), [0xc2, 0x00]);
    padded.assign("3").expect("a value");
    assert_eq!(padded.to_bytes(), [3]);
    let error = padded.assign("2147483648").expect_err("32 bits");
    let most = i128::from(i32::MAX);
    assert_eq!(error, EditError::OutOfRange { value: "2147483648".into(), min: -most, max: most });
    assert!(padded.assign_bytes(&[1, 2]).is_err(), "one byte is left");
    assert!(padded.assign_bytes(&[0xff; 6]).is_err());
    padded.assign_bytes(&[0xc2, 0x00]).expect("minus two, padded");
    assert_eq!(padded.value(), -2);
}
