//! Arrays of choices in which the same field is a count in one form and a number in another.

use bindpose::schema::{array, set_array};

use super::*;

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Item {
    #[br(temp)]
    #[bw(calc = body.tag())]
    tag: u8,
    #[br(args(tag))]
    body: Body,
}

#[derive(Schema)]
#[schema(tag(tag: u8), closed)]
#[derive(Clone, Debug, PartialEq)]
enum Body {
    #[schema(tag = 1)]
    Free(Free),
    #[schema(tag = 2)]
    Counting(Counting),
}

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Free {
    num_x: u8,
    x: [u8; 1],
}

#[derive(Schema)]
#[binrw]
#[derive(Clone, Debug, PartialEq)]
struct Counting {
    #[br(temp)]
    #[bw(try_calc = count(x))]
    num_x: u8,
    #[br(args(num_x.into()))]
    x: List<u8>,
}

/// Sets the array at a path and returns the bytes of the items.
fn changed(bytes: &[u8], path: &str, new: &[u8]) -> Result<Vec<u8>, String> {
    let mut items: Counted<u8, Item> = read(bytes, ());
    let path = path.parse().expect("a path");
    let own = array(&items, &bytes[1..], &path).expect("an array").to_vec();
    assert_eq!(own.len(), new.len(), "{own:?}");
    set_array(&mut items, &path, new).map_err(|error| error.to_string())?;
    Ok(written(&items))
}

#[test]
fn only_the_number_can_be_set() {
    let bytes = [2, 2, 1, 7, 1, 5, 8];
    assert_eq!(changed(&bytes, "[*].body.num_x", &[1, 9]), Ok(vec![2, 2, 1, 7, 1, 9, 8]));
    assert!(changed(&bytes, "[*].body.num_x", &[2, 9]).is_err());
    let bytes = [2, 1, 5, 8, 2, 1, 7];
    assert_eq!(changed(&bytes, "[*].body", &[5, 9, 1, 6]), Ok(vec![2, 1, 5, 9, 2, 1, 6]));
    assert!(changed(&bytes, "[*].body", &[5, 9, 2, 6]).is_err());
}
