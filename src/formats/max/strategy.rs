//! Any stream of 3ds Max.

use super::{Animation, Mesh, Skeleton};
use crate::codec::Generate;

impl Generate for Skeleton {}
impl Generate for Animation {}
impl Generate for Mesh {}
