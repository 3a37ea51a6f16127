//! Tests of the command.

mod agree;
mod check;
mod completion;
mod conformance;
mod contract;
mod convert;
mod costs;
mod depot;
mod edits;
mod find;
mod git;
mod hostile_names;
mod images;
mod in_place;
mod json_of_many;
#[path = "../large.rs"]
mod large;
mod manners;
mod manual;
mod many_files;
mod memory;
mod page;
mod picture;
mod pipeline;
mod reports;
mod sandbox;
mod selection;
mod sets;
mod side_files;
mod undo;
