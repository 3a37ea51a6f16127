use bindpose::ksy;

use super::*;

#[test]
fn the_role_of_a_field_follows_from_the_definition() {
    let joint = bindpose::formats::ms3d::Joint::default();
    let mut roles = Vec::new();
    let _ = schema::Record::fields(&joint, &mut |field, _| {
        roles.push((field.name, field.role));
        ControlFlow::Continue(())
    });
    assert!(roles.contains(&("num_rotation_keys", Role::Counts("rotation_keys"))));
    assert!(roles.contains(&("position", Role::Free)));
}

#[test]
fn the_schema_contains_the_documentation_of_a_field() {
    let Shape::Record(shape) = bindpose::formats::ms3d::Joint::shape() else { panic!("no record") };
    let field = shape.fields.iter().find(|field| field.name == "parent_name").expect("the field");
    assert!(field.doc.starts_with("Name of the parent joint"));
}

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Keys {
    #[br(temp)]
    #[bw(try_calc = count(keys))]
    num_keys: CInt,
    #[br(args(num_keys.into()))]
    keys: List<u8>,
}

#[test]
fn a_published_count_is_the_value_of_a_compact_integer() {
    let keys: Keys = survives(&[2, 5, 6]);
    assert_eq!(*keys.keys, [5, 6]);
    let meta = ksy::Meta { id: "keys", title: "Keys", extensions: &[], note: "" };
    let schema = ksy::write(&meta, &Keys::shape());
    assert!(schema.contains("repeat-expr: num_keys.value"), "{schema}");
}

#[test]
fn equal_types_have_equal_shapes() {
    let joint = bindpose::formats::ms3d::Joint::shape;
    assert_eq!((joint(), Keys::shape(), CInt::shape()), (joint(), Keys::shape(), CInt::shape()));
    assert_ne!(Keys::shape(), CInt::shape());
}
