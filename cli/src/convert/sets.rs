//! Which of the files that are converted to a directory form one scene.

use std::path::Path;

use super::outputs::To;
use super::{Convert, name_of};
use crate::Common;
use crate::exit::{Exit, Failure};
use crate::files::Item;
use crate::load::Content;
use crate::output::Output;
use crate::scene::load_all;
use bindpose::scene::LoadPhase;

impl Convert {
    /// Converts all files to a directory.
    pub(super) fn to_directory(
        &self,
        to: &To,
        directory: &Path,
        common: &Common,
        output: &mut Output,
    ) -> Result<Exit, Failure> {
        let Some(name) = self.name_of_set()? else { return self.each_as(to, directory, common, output) };
        let memory = self.limits.memory();
        let files = load_all(&self.inputs, &memory, common)?;
        self.convert((files, memory), &to.in_directory(directory, &name), Some(to), common, output)?;
        Ok(Exit::Well)
    }

    /// The name of the model if all files form one scene: files that were named, of which one has the meshes, or one the skeleton.
    fn name_of_set(&self) -> Result<Option<String>, Failure> {
        let items = self.inputs.list()?;
        let is_listed = |item: &Item| !item.named || item.path.as_os_str() == "-";
        if self.each || items.len() < 2 || items.iter().any(is_listed) {
            return Ok(None);
        }
        // Files that cannot be read are reported when they are converted.
        let phase = |item: &Item| {
            let content = Content::load(&item.path, item.spec, &self.limits.memory()).ok()?;
            Some((content.meaning().phase(), name_of(&item.path)))
        };
        let phases: Vec<_> = items.iter().filter_map(phase).collect();
        let of = |phase| phases.iter().filter(move |(own, _)| *own == phase);
        let (models, skeletons) = (of(LoadPhase::Mesh).count(), of(LoadPhase::Skeleton).count());
        if models <= 1 || skeletons == 1 {
            let model = of(LoadPhase::Mesh).chain(of(LoadPhase::Skeleton)).chain(&phases).next();
            let model = if models == 1 { model } else { of(LoadPhase::Skeleton).next().or(model) };
            return Ok(model.map(|(_, name)| name.clone()));
        }
        if models == phases.len() {
            return Ok(None);
        }
        let why = format!("the files contain {models} models, which do not form one scene");
        let help = "name the files of one model, or convert every file alone with --each".to_owned();
        Err(Failure { help: Some(help), ..Failure::new(Exit::Usage, why) })
    }
}
