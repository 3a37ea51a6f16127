//! `bindpose git-setup`: the lines that make git diff these files.

use std::collections::BTreeSet;
use std::io::Write;

use clap::Args;

use super::exit::{Exit, Failure};
use super::output::Output;
use crate::FileKind;

/// Print the lines that make git show what changed in these files
///
/// Git then compares what `to-json` prints, which is the same for the same file and names its version at the top.
/// Files stay in the repository as they are.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct GitSetup {
    /// The lines for `.gitattributes`
    #[arg(long, conflicts_with = "config")]
    attributes: bool,
    /// The lines for `.git/config`
    #[arg(long)]
    config: bool,
}

const EXAMPLES: &str = "\
Examples:
  bindpose git-setup
  bindpose git-setup --attributes >> .gitattributes
  bindpose git-setup --config >> .git/config";

/// A file that cannot be decoded is told by its checksum: an error would end the diff of all others.
/// Without field separators and patterns the shell leaves the name whole.
const CONFIG: &str = "\
[diff \"bindpose\"]
\ttextconv = \"sh -fc 'IFS=; bindpose to-json $0 || cksum $0'\"
\tcachetextconv = true
";

impl GitSetup {
    pub fn run(&self, output: &mut Output) -> Result<Exit, Failure> {
        if !self.config {
            self.heading(output, "# .gitattributes")?;
            for extension in extensions(|extension| !extension.starts_with('*')) {
                writeln!(output, "*.{extension} diff=bindpose")?;
            }
            writeln!(output, "# Other formats use these too; take what is yours:")?;
            for extension in extensions(|extension| extension.starts_with('*')) {
                writeln!(output, "#*.{extension} diff=bindpose")?;
            }
        }
        if !self.attributes {
            self.heading(output, "\n# .git/config, or ~/.gitconfig")?;
            output.write_all(CONFIG.as_bytes())?;
        }
        Ok(Exit::Well)
    }

    /// What stands alone needs no heading.
    fn heading(&self, output: &mut Output, text: &str) -> Result<(), Failure> {
        if !self.attributes && !self.config {
            writeln!(output, "{text}")?;
        }
        Ok(())
    }
}

fn extensions(wanted: impl Fn(&str) -> bool) -> BTreeSet<&'static str> {
    let all = FileKind::ALL.iter().flat_map(|kind| kind.info().extensions);
    all.filter(|extension| wanted(extension)).map(|extension| extension.trim_start_matches('*')).collect()
}
