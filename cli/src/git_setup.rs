//! `bindpose git-setup`: configure git to diff and merge these files.

use std::collections::BTreeSet;

use super::json::Text;
use crate::prelude::*;
use bindpose::codec::Info;

/// Print the git configuration for readable diffs and merges of these files
///
/// `git diff` then prints what `bindpose diff` does, and `git log -p` compares the output of `to-json`. Edits of different values of a file
/// merge; conflicts are printed by their paths. Files in the repository are not changed.
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  bindpose git-setup
  bindpose git-setup --attributes >> .gitattributes
  bindpose git-setup --config >> .git/config")]
pub(super) struct GitSetup {
    /// Print only the lines for .gitattributes
    #[arg(long, conflicts_with = "config", help_heading = "Output options")]
    attributes: bool,
    /// Print only the lines for .git/config
    #[arg(long, help_heading = "Output options")]
    config: bool,
    /// Print the lines as FORMAT
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human, help_heading = "Output options")]
    format: Format,
}

/// Falls back to the checksum of a file that cannot be decoded: an error would end the diff of all others. git gives only the name of a file
/// that is not merged, and several common ancestors are merged without a driver: what that leaves is not the base of both edits.
/// Without field separators and patterns, the shell does not split the name. git treats the exit code of differences as a failure.
const CONFIG: &str = "\
[diff \"bindpose\"]
\tcommand = \"sh -fc 'IFS=; echo bindpose diff $0 $7; case $1-$4 in -) echo unmerged;; /dev/null-*) echo added;; *-/dev/null) echo deleted;; *) test $3 = $6 || echo mode $3 to $6; bindpose diff -- $1 $4 || test $? = 1 || cksum -- $1 $4;; esac'\"
\ttextconv = \"sh -fc 'IFS=; bindpose to-json -- $0 || cksum <$0'\"
\tcachetextconv = true
[merge \"bindpose\"]
\tname = values of models
\tdriver = bindpose merge --base %O %A %B --named=%P -o %A --force
\trecursive = binary
";

impl Verb for GitSetup {
    fn run(&self, output: &mut Output) -> Result<Exit> {
        let texts = [
            (!self.config, ".gitattributes", ".gitattributes", attributes()),
            (!self.attributes, ".git/config", ".git/config, or ~/.gitconfig", CONFIG.into()),
        ];
        let wanted: Vec<_> = texts.into_iter().filter(|(wanted, ..)| *wanted).collect();
        for (number, (_, name, heading, text)) in wanted.iter().enumerate() {
            match self.format {
                Format::Json => output.json_line(&Text { name, text })?,
                // A single part needs no heading.
                Format::Human if wanted.len() == 1 => output.write_all(text.as_bytes())?,
                Format::Human => {
                    let gap = if number > 0 { "\n" } else { "" };
                    write!(output, "{gap}# {heading}\n{text}")?;
                }
            }
        }
        Ok(Exit::Success)
    }
}

fn attributes() -> String {
    let line =
        |prefix: &str, extension: &str| format!("{prefix}*.{extension} diff=bindpose merge=bindpose -text");
    let of = |names: fn(&'static Info) -> &'static [&'static str]| -> BTreeSet<_> {
        FileKind::ALL.iter().flat_map(|kind| names(kind.info())).copied().collect()
    };
    let shared = of(|info| info.shared_extensions);
    let own = &of(|info| info.extensions) - &shared;
    let mut lines: Vec<_> = own.iter().map(|extension| line("", extension)).collect();
    lines.push("# Other formats use these extensions, too; remove the leading # to enable one:".into());
    lines.extend(shared.iter().map(|extension| line("#", extension)));
    lines.join("\n") + "\n"
}
