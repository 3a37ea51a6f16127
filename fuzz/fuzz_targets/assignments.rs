#![no_main]

bindpose_fuzz::program!(env!("CARGO_BIN_NAME"));
