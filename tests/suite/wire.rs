//! What the next formats need of the derive and the wire floor, each proven on a small struct.
