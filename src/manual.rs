//! The examples of the README and of the manual, compiled and run as documentation tests.

#[doc = include_str!("../docs/library.md")]
struct LibraryGuide;

#[doc = include_str!("../README.md")]
struct Readme;
