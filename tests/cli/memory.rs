//! The memory that a command may take.

#[cfg(unix)]
use std::process::Command;

use miniz_oxide::deflate::compress_to_vec;

use crate::sandbox::{Sandbox, sample};

/// A mesh of many equal faces, packed to a hundredth of its text.
fn packed_mesh(faces: usize) -> Vec<u8> {
    let list = vec!["3;0,1,2;"; faces].join(",\n");
    let text = format!("Mesh m {{\n3;\n-1;-1;0;,1;-1;0;,0;1;0;;\n{faces};\n{list};\n}}\n");
    let len = |len: usize| u16::try_from(len).unwrap().to_le_bytes();
    let mut file = b"xof 0302tzip0032".to_vec();
    file.extend(u32::try_from(text.len() + 16).unwrap().to_le_bytes());
    for block in text.as_bytes().chunks(1 << 15) {
        let packed = [b"CK", &compress_to_vec(block, 9)[..]].concat();
        file.extend([&len(block.len())[..], &len(packed.len()), &packed].concat());
    }
    file
}

/// The verbs that read or edit by path, with paths to all values of the mesh.
#[cfg(unix)]
const BY_PATH: [&[&str]; 12] = [
    &["get", "mesh.x", "Mesh[\"m\"].faces[*]"],
    &["get", "mesh.x", "Mesh[\"m\"]", "--format", "json"],
    &["get", "mesh.x", "Mesh[\"m\"]", "--raw"],
    &["get", "mesh.x", "Mesh[\"m\"]", "Mesh[\"m\"].faces[*]"],
    &["set", "mesh.x", "-n", "Mesh[\"m\"].faces[*].faceVertexIndices[0]=1"],
    &["set", "mesh.x", "-n", "Mesh[\"m\"].faces[*].faceVertexIndices[0]+=1"],
    &["set", "mesh.x", "-n", "--delete", "Mesh[\"m\"].faces[*]"],
    &["refs", "mesh.x", "Mesh[\"m\"]"],
    &["refs", "mesh.x", "Mesh[\"m\"]", "--count"],
    &["find", "mesh.x", "--value", "Mesh[\"m\"].faces[*].faceVertexIndices[0]=9"],
    &["find", "mesh.x", "--value", "Mesh[\"m\"].faces[*].faceVertexIndices[0]=0", "--format", "json"],
    &["extract", "mesh.x", "--mesh", "m", "-o", "out.x"],
];

#[cfg(unix)]
#[test]
fn paths_to_many_values_of_a_packed_file_stay_within_the_limit() {
    let sandbox = Sandbox::new();
    let file = packed_mesh(100_000);
    assert!(file.len() < 20_000, "{}", file.len());
    sandbox.write("mesh.x", file);
    for arguments in BY_PATH {
        // The address space includes the program, its stacks and what allocators reserve.
        let command = sandbox.command(&[arguments, &["--max-memory", "32M"]].concat());
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -v 360000 && exec \"$0\" \"$@\""]).arg(command.get_program());
        shell.args(command.get_args()).current_dir(sandbox.path("")).stdin(std::process::Stdio::null());
        let done = shell.output().unwrap();
        let err = String::from_utf8(done.stderr).unwrap();
        // 6: no value matches.
        match done.status.code() {
            Some(0 | 6) => {}
            Some(5) => assert!(
                err.contains("mesh.x: ") && err.contains("--max-memory"),
                "{arguments:?}: the message names neither file nor option: {err}"
            ),
            other => panic!("{arguments:?}: {other:?}: {err}"),
        }
    }
}

#[test]
fn values_are_printed_without_being_collected() {
    let sandbox = Sandbox::new();
    sandbox.write("mesh.x", packed_mesh(20_000));
    let done = sandbox.run(&["get", "mesh.x", "Mesh[\"m\"].faces[*]", "--max-memory", "24M"]);
    assert_eq!((done.code, done.out.lines().count()), (0, 80_000), "{}", done.err);
    let two = ["get", "mesh.x", "Mesh[\"m\"].faces[*]", "Mesh[\"m\"].nFaces", "--max-memory", "24M"];
    assert_eq!(sandbox.run(&two).code, 5);
}

/// A sandbox with a clip of few frames per second.
fn with_slow_clip(rate: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("run.psa", sample("corpus/psk/set.psa"));
    let set = sandbox.run(&["set", "run.psa", &format!("sequences[0].rate={rate}"), "-o", "long.psa"]);
    assert_eq!(set.code, 0, "{}", set.err);
    sandbox
}

#[test]
fn resampled_clips_count_for_the_limit() {
    let sandbox = with_slow_clip("1e-5");
    let arguments = ["transform", "long.psa", "--fps", "30", "--keep-duration", "-o", "out.psa"];
    for limit in [&[][..], &["--max-memory", "100M"]] {
        let done = sandbox.run(&[&arguments, limit].concat());
        assert_eq!(done.code, 5, "{}", done.err);
        assert!(done.err.contains("long.psa: ") && done.err.contains("sequences[0]"), "{}", done.err);
        assert!(!sandbox.path("out.psa").exists());
    }
}

#[test]
fn a_clip_of_more_frames_than_can_be_counted_is_refused() {
    let sandbox = with_slow_clip("1e-40");
    let done = sandbox.run(&["transform", "long.psa", "--fps", "30", "--keep-duration", "-o", "out.psa"]);
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(!sandbox.path("out.psa").exists());
}

#[test]
fn converted_clips_count_for_the_limit() {
    let sandbox = with_slow_clip("1e-5");
    let done = sandbox.run(&["convert", "long.psa", "-o", "out.anim", "--to", "unigine-anim"]);
    assert_eq!(done.code, 5, "{}", done.err);
    assert!(!sandbox.path("out.anim").exists());
}

#[test]
fn every_step_counts_for_the_limit() {
    let sandbox = Sandbox::new();
    sandbox.write("body.psk", sample("corpus/psk/set.psk"));
    sandbox.write("head.psk", sample("corpus/psk/set.psk"));
    let cases: [&[&str]; 5] = [
        &["export", "body.psk", "-o", "out.glb"],
        &["convert", "body.psk", "-o", "out.ms3d"],
        &["preview", "body.psk", "-o", "out.png"],
        &["transform", "body.psk", "--scale", "2", "-o", "out.psk"],
        &["merge", "body.psk", "head.psk", "-o", "out.psk"],
    ];
    for arguments in cases {
        // The least memory that suffices for the command is more than that for decoding alone.
        let code = |verb: &[&str], bytes: u32| {
            sandbox.run(&[verb, &["--force", "--max-memory", &bytes.to_string()]].concat()).code
        };
        let decodes = |bytes: u32| {
            sandbox.run(&["roundtrip", "body.psk", "--max-memory", &bytes.to_string()]).code == 0
        };
        let least = (1024..1 << 16).step_by(128).find(|bytes| decodes(*bytes)).expect("a small file");
        assert_eq!(code(arguments, least), 5, "{arguments:?} in {least} bytes");
        assert_eq!(code(arguments, 1 << 26), 0, "{arguments:?}");
    }
}
