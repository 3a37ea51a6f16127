//! Law 6: the fast path reads and writes the same as single records.

use bindpose::formats::ms3d::{
    Keyframe, Material, Triangle, Vertex, VertexExtra1, VertexExtra2, VertexExtra3,
};

use super::*;

fn agrees<T>(value: &T) -> Result<(), TestCaseError>
where
    T: Schema + for<'a> BinRead<Args<'a> = ()> + for<'a> BinWrite<Args<'a> = ()>,
{
    let size = T::FIXED.expect("a fixed length");
    let mut fast = vec![0; size];
    value.put(&mut fast);
    prop_assert_eq!(&written(value), &fast);
    prop_assert_eq!(&written(&T::get(&fast)), &fast);
    prop_assert_eq!(&written(&read::<T, ()>(&fast, ())), &fast);
    Ok(())
}

macro_rules! law_six {
    ($($name:ident: $type:ty),+ $(,)?) => {
        proptest! {
            $(#[test]
            fn $name(value in any_fixed::<$type>()) {
                agrees(&value)?;
            })+
        }
    };
}

law_six! {
    a_vertex: Vertex,
    a_triangle: Triangle,
    a_material: Material,
    a_key: Keyframe,
    an_extra_1: VertexExtra1,
    an_extra_2: VertexExtra2,
    an_extra_3: VertexExtra3,
    a_text: FixedStr<20>,
    an_array_of_arrays: [[f32; 3]; 3],
    a_double: f64,
}
