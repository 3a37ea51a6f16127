//! What most verbs use: their trait, options that several have, files, output and failures, and types of the library.

pub(super) use std::io::{self, Write};
pub(super) use std::path::{Path, PathBuf};

pub(super) use clap::Args;
pub(super) use serde::Serialize;

pub(super) use super::exit::{Cause, Exit, Failure, InFile};
pub(super) use super::files::{Inputs, Item, PathName, is_stdio, is_stdout, printable, shown};
pub(super) use super::limits::{LimitArgs, Memory};
pub(super) use super::output::{Output, counted};
pub(super) use super::verbs::Verb;
pub(super) use super::{Common, Format};
pub(super) use bindpose::{Budget, Document, FieldPath, FileKind, FormatSpec, Limits};

/// A result whose error is a message for the user.
pub(super) type Result<T, E = Failure> = std::result::Result<T, E>;
