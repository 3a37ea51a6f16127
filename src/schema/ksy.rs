//! Writes a [`Shape`] as a Kaitai Struct schema.
