//! Verification by pieces and as a whole gives the same verdict.

use std::io::Cursor;

use bindpose::FileKind;
use bindpose::codec::{Outcome, StreamVerifier, Verdict};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::folders;

fn in_pieces(kind: FileKind, bytes: &[u8], size: usize) -> Option<Outcome> {
    let mut pieces = StreamVerifier::new(Cursor::new(bytes), size).unwrap();
    kind.prove(&mut pieces, &bindpose::Options::default())
}

/// The formats whose files can be verified by pieces.
const IN_PIECES: [FileKind; 2] = [FileKind::Psk, FileKind::Psa];

/// Asserts that verification by pieces agrees with that of the whole file, and succeeds for every valid file.
fn agree(kind: FileKind, bytes: &[u8], size: usize) {
    let whole = kind.roundtrip(bytes, &bindpose::Options::default());
    match in_pieces(kind, bytes, size) {
        // The writer is determined from the beginnings of lists.
        Some(mut pieces) => {
            pieces.writer = whole.writer;
            assert_eq!(pieces, whole, "{}", kind.name());
        }
        None => assert!(
            whole.verdict != Verdict::Lossless || !IN_PIECES.contains(&kind),
            "{} in pieces of {size} bytes",
            kind.name()
        ),
    }
}

proptest! {
    #[test]
    fn pieces_and_the_whole_agree_on_any_file(entropy in vec(any::<u8>(), 0..3000), size in 0_usize..400) {
        for kind in IN_PIECES {
            if let Ok(bytes) = kind.generate(&entropy).encode() {
                agree(kind, &bytes, size);
                agree(kind, &bytes[..bytes.len() / 2], size);
            }
        }
    }
}

#[test]
fn pieces_and_the_whole_agree_on_samples() {
    for folder in ["corpus", "damaged"] {
        for (_, bytes) in folders::files(&folders::own(folder)) {
            for &kind in FileKind::ALL {
                for size in [0, 1, 100, StreamVerifier::SIZE] {
                    agree(kind, &bytes, size);
                }
            }
        }
    }
}
