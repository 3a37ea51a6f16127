//! Generates models for property tests.

use super::Iqm;
use crate::codec::Generate;

impl Generate for Iqm {}
