//! `D3DDECLTYPE`, the types of vertex elements: floats, bytes, 16-bit integers, normalised integers and half floats
//! (Microsoft's reference of Direct3D 9).
#![allow(missing_docs, reason = "Direct3D's own names")]

pub const FLOAT1: u32 = 0;
pub const FLOAT2: u32 = 1;
pub const FLOAT3: u32 = 2;
pub const FLOAT4: u32 = 3;
pub const D3DCOLOR: u32 = 4;
pub const UBYTE4: u32 = 5;
pub const SHORT2: u32 = 6;
pub const SHORT4: u32 = 7;
pub const UBYTE4N: u32 = 8;
pub const SHORT2N: u32 = 9;
pub const SHORT4N: u32 = 10;
pub const USHORT2N: u32 = 11;
pub const USHORT4N: u32 = 12;
pub const UDEC3: u32 = 13;
pub const DEC3N: u32 = 14;
pub const FLOAT16_2: u32 = 15;
pub const FLOAT16_4: u32 = 16;
pub const UNUSED: u32 = 17;

/// Returns the number of 32-bit words of a value, or `None` for an unknown type.
pub const fn words(kind: u32) -> Option<usize> {
    match kind {
        UNUSED => Some(0),
        FLOAT1 | D3DCOLOR | UBYTE4 | SHORT2 | UBYTE4N | SHORT2N | USHORT2N | UDEC3 | DEC3N | FLOAT16_2 => {
            Some(1)
        }
        FLOAT2 | SHORT4 | SHORT4N | USHORT4N | FLOAT16_4 => Some(2),
        FLOAT3 => Some(3),
        FLOAT4 => Some(4),
        _ => None,
    }
}
