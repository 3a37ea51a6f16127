//! Values as their users think of them, beside the raw ones.
