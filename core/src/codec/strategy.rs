//! proptest strategies.

use proptest::collection::vec;
use proptest::prelude::{Strategy, any};

use super::Generate;

/// Files of a format, with every bit pattern in their values.
///
/// ```
/// use bindpose::codec::{Format, any_file, law};
/// use bindpose::formats::ms3d::Ms3d;
/// use proptest::prelude::*;
/// proptest!(|(file in any_file::<Ms3d>())| law::<Ms3d>(&file.encode().unwrap()));
/// ```
pub fn any_file<F: Generate + std::fmt::Debug>() -> impl Strategy<Value = F> {
    vec(any::<u8>(), 0..3000).prop_map(|entropy| F::generate(&entropy))
}
