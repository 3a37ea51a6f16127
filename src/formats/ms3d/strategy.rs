//! Any MilkShape 3D file.

use super::Ms3d;
use crate::codec::Generate;

impl Generate for Ms3d {}
