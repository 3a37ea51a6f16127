use super::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Old,
    New,
}

#[derive(Schema)]
#[binrw]
#[br(import(dialect: Dialect))]
#[derive(Clone, Debug, PartialEq)]
struct Mesh {
    #[br(parse_with = counted_with, args((dialect,)))]
    vertices: Counted<u8, Vertex>,
}

#[derive(Schema)]
#[binrw]
#[br(import(dialect: Dialect))]
#[derive(Clone, Debug, PartialEq)]
struct Vertex {
    x: u8,
    #[br(if(dialect == Dialect::New))]
    #[schema(condition = dialect == 1)]
    color: Option<[u8; 3]>,
}

#[test]
fn a_dialect_reaches_nested_structs_and_is_not_needed_for_writing() {
    let bytes = [2, 1, 10, 11, 12, 2, 20, 21, 22];
    let mesh: Mesh = read(&bytes, (Dialect::New,));
    assert_eq!(written(&mesh), bytes);
    let mesh: Mesh = read(&bytes[..3], (Dialect::Old,));
    assert_eq!(written(&mesh), bytes[..3]);
}

#[test]
fn a_new_element_has_the_dialect_of_its_neighbour() {
    let mut mesh: Mesh = read(&[1, 1, 10, 11, 12], (Dialect::New,));
    schema::append(&mut mesh, &"vertices".parse().expect("a path")).expect("a longer list");
    assert_eq!(written(&mesh), [2, 1, 10, 11, 12, 0, 0, 0, 0]);
}

#[test]
fn a_new_element_of_an_empty_list_has_its_dialect() {
    for bytes in [&[0][..], &[1, 10, 11, 12, 13]] {
        let mut mesh: Mesh = read(bytes, (Dialect::New,));
        if !mesh.vertices.is_empty() {
            schema::delete(&mut mesh, &"vertices[0]".parse().expect("a path")).expect("a shorter list");
        }
        schema::append(&mut mesh, &"vertices".parse().expect("a path")).expect("a longer list");
        assert_eq!(written(&mesh), [1, 0, 0, 0, 0]);
    }
}

#[test]
fn elements_with_the_same_arguments_can_be_counted_elsewhere() {
    let read = |bytes: &[u8]| list_with(&mut Source::new(bytes), Endian::Little, (2, (Dialect::Old,)));
    let list: List<Vertex> = read(&[1, 2]).expect("two vertices");
    assert_eq!(list.len(), 2);
    assert!(read(&[1]).is_err());
}
