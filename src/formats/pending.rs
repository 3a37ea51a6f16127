//! Formats whose rules are not written yet.

use super::{cal3d, directx, max, psk, unigine};
use crate::check::{Check, Findings};

macro_rules! no_rules {
    ($($type:ty),+ $(,)?) => {
        $(impl Check for $type {
            fn check(&self, _findings: &mut Findings) {}
        })+
    };
}

no_rules!(
    cal3d::CalSkeleton,
    cal3d::CalAnimation,
    cal3d::CalMesh,
    cal3d::CalMaterial,
    cal3d::CalMorph,
    psk::Psk,
    psk::Psa,
    psk::PsaConfig,
    directx::X,
    unigine::UnigineMesh,
    unigine::UnigineAnim,
    max::Skeleton,
    max::Animation,
    max::Mesh,
);
