//! The memory that a command may take.

use crate::sandbox::{Sandbox, sample};

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
