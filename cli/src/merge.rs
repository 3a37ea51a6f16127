//! `bindpose merge`: one file with the clips or meshes of several.

use clap::Args;

use super::Common;
use super::editing::refuse;
use super::exit::{Exit, Failure};
use super::files::{Inputs, shown};
use super::limits::LimitArgs;
use super::load::{self, refuse_damage};
use super::output::Output;
use super::verb::Verb;
use super::write::Out;
use bindpose::edit::{caused_by_merge, merge};
use bindpose::{Error, File};

/// Merge the clips or the meshes of files of one format
///
/// Everything in the first file stays as it is; the clips or meshes of the others follow in the order of the arguments. Bones are
/// matched by name, and have the same bind pose; Cal3D and 3ds Max meshes refer to the bones of one skeleton by index. Skeletons
/// of Cal3D and 3ds Max get the bones that they do not have. Supported: MilkShape 3D, PSK, PSA, UNIGINE meshes and animations,
/// DirectX .x, Cal3D meshes, animations and skeletons, 3ds Max meshes and skeletons.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Merge {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    out: Out,
    #[command(flatten)]
    limits: LimitArgs,
}

const EXAMPLES: &str = "\
Examples:
  bindpose merge walk.psa run.psa jump.psa -o moves.psa
  bindpose merge body.psk head.psk -o hero.psk
  bindpose merge hero.x walk.x run.x -o moves.x
  bindpose merge body.cmf hair.cmf -o hero.cmf";

impl Verb for Merge {
    fn run(&self, _: &Common, output: &mut Output) -> Result<Exit, Failure> {
        let items = self.inputs.list()?;
        if items.len() < 2 {
            return Err(Failure::new(
                Exit::Usage,
                format!("expected two files or more, got {}", items.len()),
            ));
        }
        let memory = self.limits.memory();
        let mut copies = Vec::new();
        let mut merged: Option<File> = None;
        let mut parts = Vec::new();
        for item in items {
            if let Some(trouble) = &item.trouble {
                return Err(Failure::new(Exit::Io, trouble.to_string()).of(shown(&item.path)));
            }
            if !item.named && item.spec.or_else(|| load::detect(&item.path)).is_none() {
                continue;
            }
            let blame = |error: Error| Failure::from(error).of(shown(&item.path));
            let before = memory.budget().used();
            let document = load::load(&item.path, item.spec, &memory)?;
            memory.budget().release(document.bytes().len() as u64);
            let part = document.into_file();
            refuse_damage(&part, &item.path)?;
            // In the result, and in the one that is decoded to verify it.
            let decoded = memory.budget().used().saturating_sub(before);
            copies.push(memory.grant(decoded.saturating_mul(2)).map_err(blame)?);
            match &mut merged {
                None => merged = Some(part.clone()),
                Some(file) => {
                    merge(file, &part).map_err(blame)?;
                }
            }
            parts.push(part);
        }
        let Some(file) = merged else {
            return Err(Failure::new(Exit::Nothing, "no files found"));
        };
        refuse(&caused_by_merge(&parts, &file)?)?;
        let _bytes = memory.grant(file.value().size().saturating_mul(2))?;
        let bytes = file.encode()?;
        self.out.write(&bytes, output, |written| load::verify(written, load::spec_of(&file), &bytes))?;
        Ok(Exit::Well)
    }
}
