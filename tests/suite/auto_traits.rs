//! Values move between threads, and a panic in one task does not make them unusable in another.

use std::panic::{RefUnwindSafe, UnwindSafe};

use bindpose::check::Report;
use bindpose::scene::author::AuthorError;
use bindpose::scene::{Part, Scene, ToScene};
use bindpose::schema::Value;
use bindpose::{Budget, Document, Error, File, Limits, Reader, Rescued};

const fn moves_between_threads<T: Send + Sync + ?Sized>() {}
const fn survives_panics<T: UnwindSafe + RefUnwindSafe>() {}

const _: () = {
    moves_between_threads::<Document>();
    moves_between_threads::<File>();
    moves_between_threads::<Reader>();
    moves_between_threads::<Scene>();
    moves_between_threads::<Part<'_>>();
    moves_between_threads::<dyn ToScene>();
    moves_between_threads::<dyn Value>();
    moves_between_threads::<Report>();
    moves_between_threads::<Rescued>();
    moves_between_threads::<Error>();
    moves_between_threads::<AuthorError>();
    moves_between_threads::<Budget>();
    survives_panics::<Document>();
    survives_panics::<File>();
    survives_panics::<Scene>();
    survives_panics::<Report>();
    survives_panics::<Error>();
    survives_panics::<AuthorError>();
    survives_panics::<Limits>();
    #[cfg(feature = "files")]
    moves_between_threads::<bindpose::Set>();
    #[cfg(feature = "gltf")]
    moves_between_threads::<bindpose::scene::gltf::Gltf>();
};
