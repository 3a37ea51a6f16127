//! What `check` says of files that it could not check.

use super::rule::rules;

rules! {
    UNDECODABLE = Error "check/undecodable" "The file cannot be decoded." {
        why: "Its beginning is that of the format, or its name is, or --as says so; but what every file of the format must have is \
              not there. Nothing can be told of the rest, and no reader will open it.",
        source: "The layout of each format.",
        example: "0x0000000a: needs 4 bytes, 0 left",
    }
    UNKNOWN_FORMAT = Error "check/unknown-format" "The file starts like no known format." {
        why: "It was named, so it was meant to be checked. Where its format has no magic, --as tells which it is; what lies in \
              directories is passed over.",
        source: "The magic of each format.",
        example: "starts like no known format; --as FORMAT tells which it is",
    }
    LIMIT = Error "check/limit" "The file exceeds a limit." {
        why: "It is larger, or nested deeper, than the run allows: --max-memory and --max-depth say how much that is.",
        source: "The limits of the run.",
        example: "4.0 GiB are more than the limit of 1.0 GiB",
    }
    IO_ERROR = Error "check/io-error" "The file could not be read." {
        why: "It is not there, or may not be read, or the disk failed. The message is that of the system.",
        source: "The system.",
        example: "no such file or directory",
    }
    NOT_LOSSLESS = Error "check/not-lossless" "The file made bindpose fail." {
        why: "A bug of bindpose, and none of the file's. Please report the file.",
        source: "The laws that every file obeys, whatever it holds.",
        example: "internal error, please report the file",
    }
}
