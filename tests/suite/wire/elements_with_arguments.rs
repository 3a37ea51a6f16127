use bindpose::wire::Announced;

use super::*;

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Mesh {
    surfaces: Counted<u8, Surface>,
    #[br(parse_with = list_each, args(surfaces.iter().map(|surface| (surface.num_vertices.into(),))))]
    #[schema(args(surfaces.size, surfaces[_index].num_vertices))]
    geometry: List<Geometry>,
}

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Surface {
    num_vertices: u16,
}

/// The width of the indices follows from the number of vertices.
#[derive(Schema)]
#[binrw]
#[br(import(num_vertices: i64))]
#[derive(Clone, Debug, PartialEq)]
struct Geometry {
    #[br(args(num_vertices))]
    vertices: List<[u8; 2]>,
    #[schema(decides = "indices")]
    num_indices: u8,
    #[br(args(width(len(&vertices)), num_indices.into()))]
    #[schema(args(if vertices.size < 256 { 1 } else { 2 }, num_indices))]
    indices: Indices,
}

fn width(vertices: i64) -> u8 {
    if vertices < 256 { 1 } else { 2 }
}

#[derive(Schema)]
#[schema(tag(width: u8), import(number: i64), closed)]
#[derive(Clone, Debug, PartialEq)]
enum Indices {
    #[schema(tag = 1)]
    #[br(args(number))]
    Narrow(List<u8>),
    #[schema(tag = 2)]
    #[br(args(number))]
    Wide(List<u16>),
}

#[test]
fn the_layout_of_a_list_follows_from_an_earlier_one() {
    let mut bytes = vec![2, 1, 0, 0, 1];
    bytes.extend([7, 7, 3, 0, 0, 0]);
    bytes.extend([9; 512]);
    bytes.extend([2, 255, 0, 1, 0]);
    let mesh: Mesh = survives(&bytes);
    assert_eq!(mesh.geometry[0].indices, Indices::Narrow(vec![0, 0, 0].into()));
    assert_eq!(mesh.geometry[1].indices, Indices::Wide(vec![255, 1].into()));
}

#[test]
fn a_field_that_determines_the_layout_of_a_list_cannot_be_set() {
    let mut mesh: Mesh = survives(&[1, 0, 0, 0]);
    let why = set(&mut mesh, "surfaces[0].num_vertices", "1").expect_err("refused");
    assert!(why.contains("decides how `geometry` is read"), "{why}");
}

#[test]
fn a_truncated_list_announces_an_element_for_each_set_of_arguments() {
    let bytes = [3, 1, 0, 1, 0, 1, 0, 7, 7, 0];
    let mesh = Mesh::read_options(&mut Source::truncated(&bytes), Endian::Little, ()).expect("a mesh");
    assert_eq!((mesh.geometry.len(), Announced::announced(&mesh.geometry)), (1, 3));
}
