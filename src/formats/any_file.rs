//! What can be done with a file of any format, of this crate or of another one.

use super::File;
use crate::Result;
use crate::codec::Format;
use crate::schema::Value;

/// A file of any format.
pub(crate) trait AnyFile: Clone {
    fn dialect(&self) -> Option<&'static str>;
    fn value(&self) -> &dyn Value;
    fn value_mut(&mut self) -> &mut dyn Value;
    fn encode(&self) -> Result<Vec<u8>>;
}

impl AnyFile for File {
    fn dialect(&self) -> Option<&'static str> {
        self.dialect()
    }
    fn value(&self) -> &dyn Value {
        self.value()
    }
    fn value_mut(&mut self) -> &mut dyn Value {
        self.value_mut()
    }
    fn encode(&self) -> Result<Vec<u8>> {
        self.encode()
    }
}

impl<F: Format + Clone> AnyFile for F {
    fn dialect(&self) -> Option<&'static str> {
        Format::dialect(self)
    }
    fn value(&self) -> &dyn Value {
        self
    }
    fn value_mut(&mut self) -> &mut dyn Value {
        self
    }
    fn encode(&self) -> Result<Vec<u8>> {
        Format::encode(self)
    }
}
