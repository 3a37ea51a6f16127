//! The command `3ds`, run.

use std::path::Path;
use std::process::Command;

#[test]
fn a_generated_file_survives_a_round_trip() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("3ds");
    let run = |args: &[&str]| {
        let ran =
            Command::new(env!("CARGO_BIN_EXE_3ds")).args(args).arg(&file).output().expect("the command");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).expect("a text")
    };
    run(&["gen", "--seed", "1", "--force", "-o"]);
    assert!(run(&["roundtrip"]).contains("lossless"));
}
