//! Rules of skeletons.

use super::super::rules::{JOINT_VALUES, RETARGET};
use super::super::{JointWeights, Reference, UnigineSkeleton, literal};
use super::{check_name_end, check_skeleton};
use crate::Result;
use crate::check::common::field_path;
use crate::check::{Check, Findings, ListedBones, Repair, finite};

impl crate::sealed::Sealed for UnigineSkeleton {}

impl Check for UnigineSkeleton {
    fn bone_list(&self) -> Result<Option<ListedBones>> {
        Ok(Some(ListedBones::defined(self.bones.iter().map(|bone| bone.name.text()))))
    }

    literal::methods!();

    fn check(&self, findings: &mut Findings) {
        literal::check_markers(self, findings);
        check_skeleton(&self.bones, &self.transforms, findings);
        let joints = self.bones.len();
        check_values("masks", &self.masks, joints, findings);
        check_values("time_profiles", &self.time_profiles, joints, findings);
        check_values("weight_profiles", &self.weight_profiles, joints, findings);
        if !self.retarget.is_empty() && self.retarget.len() != joints {
            let message = || format!("has {} settings for {joints} joints", self.retarget.len());
            findings.add(&JOINT_VALUES, || field_path!["retarget"], message);
        }
        for (index, own) in self.retarget.iter().enumerate() {
            if !own.has_known_mode() {
                let path = || field_path!["retarget", index, "mode"];
                findings.add(&RETARGET, path, || format!("is {}", own.mode));
            }
            finite(findings, own.length, || field_path!["retarget", index, "length"]);
        }
    }
}

fn check_values(list: &'static str, all: &[JointWeights], joints: usize, findings: &mut Findings) {
    for (index, own) in all.iter().enumerate() {
        check_name_end(&own.name, || field_path![list, index, "name"], findings);
        if own.values.len() != joints {
            let message = || format!("has {} values for {joints} joints", own.values.len());
            findings.add(&JOINT_VALUES, || field_path![list, index, "values"], message);
        }
        for (at, value) in own.values.iter().enumerate() {
            finite(findings, *value, || field_path![list, index, "values", at]);
        }
    }
}

pub(super) fn check_reference(own: &Reference, findings: &mut Findings) {
    check_name_end(&own.guid, || field_path!["skeleton", "guid"], findings);
    check_name_end(&own.path, || field_path!["skeleton", "path"], findings);
}
