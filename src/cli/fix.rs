//! `bindpose check --fix`: the few repairs that are certain.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::exit::{Exit, Failure};
use super::files::Item;
use super::limits::LimitArgs;
use super::load::{self, Loaded};
use super::output::Output;
use super::write::{Target, back_up};
use crate::check::{Repair, Rule};
use crate::{Limits, Spec};

/// The arguments that say where a mended file goes.
#[derive(Args)]
#[command(next_help_heading = "Repairs")]
pub(super) struct FixArgs {
    /// Mend what breaks this rule, where the repair is certain: psk/lying-length, psk/lying-count; repeatable
    #[arg(long, value_name = "RULE", value_delimiter = ',', requires = "to")]
    fix: Vec<String>,
    /// Write the mended file to this one; `-` for standard output
    #[arg(short, long, value_name = "OUT", group = "to", requires = "fix")]
    output: Option<PathBuf>,
    /// Change the file itself; the original stays as FILE.orig
    #[arg(short, long, group = "to", requires = "fix")]
    in_place: bool,
    /// Write nothing, print what would change
    #[arg(short = 'n', long, group = "to", requires = "fix")]
    dry_run: bool,
    /// Keep no FILE.orig
    #[arg(long, requires = "in_place")]
    no_backup: bool,
}

impl FixArgs {
    /// Whether anything is to be mended.
    pub const fn is_wanted(&self) -> bool {
        !self.fix.is_empty()
    }

    /// Mends the one file that is named.
    pub fn run(
        &self,
        items: &[Item],
        limits: LimitArgs,
        force: bool,
        output: &mut Output,
    ) -> Result<Exit, Failure> {
        for code in &self.fix {
            if Rule::named(code).is_none() {
                return Err(Failure::new(Exit::Usage, format!("no rule is called `{code}`")));
            }
        }
        let [Item { path, spec, named: true, .. }] = items else {
            return Err(Failure::new(Exit::Usage, "--fix takes one file at a time"));
        };
        let Loaded { bytes, spec, file } = load::load(path, *spec, limits)?;
        let wanted = |repair: &Repair| self.fix.iter().any(|code| code == repair.rule.code);
        let repairs: Vec<_> = file.repairs(&bytes).into_iter().filter(wanted).collect();
        if repairs.is_empty() {
            let why = format!(
                "nothing in it breaks {} in a way that is certain to be mended",
                self.fix.join(" or ")
            );
            return Err(Failure::new(Exit::Findings, why).of(path.display()));
        }
        let mended = repairs.iter().fold(bytes.clone(), |file, repair| repair.apply(&file));
        let verify = |written: &[u8]| verify(written, spec, &mended);
        tell(&repairs, &mut io::stderr())?;
        if self.dry_run {
            verify(&mended)?;
        } else if let Some(out) = &self.output {
            Target::named(out, force).write(&mended, output, verify)?;
        } else {
            self.write_back(path, &mended, output, verify)?;
        }
        Ok(Exit::Well)
    }

    fn write_back(
        &self,
        path: &Path,
        mended: &[u8],
        output: &mut Output,
        verify: impl FnOnce(&[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if path.as_os_str() == "-" {
            return Err(Failure::new(Exit::Usage, "standard input cannot be changed in place; use -o"));
        }
        if !self.no_backup {
            back_up(path)?;
        }
        Target::Over(path).write(mended, output, verify)
    }
}

/// A file that is still damaged was not mended.
fn verify(written: &[u8], spec: Spec, meant: &[u8]) -> Result<(), Failure> {
    let file = load::decode(written, spec, Limits::none())?;
    match file.damage() {
        None if written == meant && file.encode()? == meant => Ok(()),
        damage => {
            let why = damage.map_or_else(String::new, |damage| format!(": {damage}"));
            Err(Failure::new(Exit::Bug, format!("is still damaged; nothing was changed{why}")))
        }
    }
}

fn tell(repairs: &[Repair], output: &mut impl Write) -> io::Result<()> {
    for Repair { rule, offset, bytes, message } in repairs {
        let end = offset + bytes.len() as u64;
        writeln!(output, "{offset:08x}..{end:08x}  {message} ({})", rule.code)?;
    }
    Ok(())
}
