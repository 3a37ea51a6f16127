//! Generates streams for property tests.

use super::{Animation, Mesh, Skeleton};
use crate::codec::Generate;

impl Generate for Skeleton {}
impl Generate for Animation {}
impl Generate for Mesh {}
