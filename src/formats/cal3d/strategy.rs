//! Any Cal3D file.

use super::{Binary, Cal3d};
use crate::codec::Generate;

impl<B: Binary> Generate for Cal3d<B> {}
