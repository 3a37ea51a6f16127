//! Generates MilkShape 3D files.

use super::Ms3d;
use crate::codec::Generate;

impl Generate for Ms3d {}
