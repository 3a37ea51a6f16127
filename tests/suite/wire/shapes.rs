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
