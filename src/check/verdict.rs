//! The reasons why `check` cannot check a file.

use super::rule::rules;

rules! {
    UNDECODABLE = Error "check/undecodable" "The file cannot be decoded." {
        why: "Its content, its name or the user specifies the format, but a part that every file of the format must have is missing \
              or invalid. Nothing after it can be decoded, and readers cannot open the file.",
        source: "The layout of each format.",
        example: "0x0000000a: file ends inside the value (4 bytes needed, 0 left)",
    }
    UNKNOWN_FORMAT = Error "check/unknown-format" "The file has an unsupported format." {
        why: "The file was named explicitly, so it should be checked; files of unsupported formats in directories are skipped. If \
              its format has no magic, the format must be specified.",
        source: "The magic of each format.",
        example: "unrecognised format",
    }
    LIMIT = Error "check/limit" "The file exceeds a limit." {
        why: "The file, or a packed part of it, is larger or nested deeper than the limits of the run allow.",
        source: "The limits of the run.",
        example: "4.0 GiB are more than the limit of 1.0 GiB",
    }
    IO_ERROR = Error "check/io-error" "The file could not be read." {
        why: "The file does not exist, access is denied, or the disk failed. The message is that of the operating system.",
        source: "The operating system.",
        example: "no such file or directory",
    }
    NOT_LOSSLESS = Error "check/not-lossless" "The file does not re-encode identically, or decoding it failed unexpectedly." {
        why: "This is a bug in bindpose, not an error in the file. Please report the file.",
        source: "The lossless law, which holds for any input.",
        example: "internal error, please report the file",
    }
}
