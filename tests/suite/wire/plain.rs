//! Numbers in text files.

use bindpose::text::{plain_double, plain_integer, plain_single};
use proptest::prelude::*;

proptest! {
    #![proptest_config(crate::folders::config(2048))]

    #[test]
    fn a_plain_number_reads_back_without_an_exponent(bits in any::<u32>(), wide in any::<u64>()) {
        let (single, double) = (f32::from_bits(bits), f64::from_bits(wide));
        prop_assume!(single.is_finite() && double.is_finite());
        let text = |append: &dyn Fn(&mut Vec<u8>)| {
            let mut text = Vec::new();
            append(&mut text);
            String::from_utf8(text).expect("ASCII")
        };
        let texts = [text(&|text| plain_single(single, text)), text(&|text| plain_double(double, text))];
        prop_assert_eq!(texts[0].parse::<f32>().map(f32::to_bits), Ok(bits));
        prop_assert_eq!(texts[1].parse::<f64>().map(f64::to_bits), Ok(wide));
        for text in texts {
            prop_assert!(text.contains('.') && !text.contains('e'), "{}", text);
        }
    }

    #[test]
    fn a_plain_integer_has_its_digits(any in any::<i64>(), shift in 0..64) {
        for number in [any >> shift, 0, 9, 10, 99_999_999, 100_000_000, i64::MIN] {
            let mut text = b"text ".to_vec();
            plain_integer(number, &mut text);
            prop_assert_eq!(text, format!("text {number}").into_bytes());
        }
    }
}
