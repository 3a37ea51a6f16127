//! glTF files of other programs, built by hand.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bindpose::scene::Scene;
use serde_json::{Value, json};

use super::gltf_read::import;

/// A file of another program that is built by hand: data becomes a buffer, a view and an accessor.
pub struct Hand {
    pub json: Value,
    bytes: Vec<u8>,
}

impl Hand {
    pub fn new(json: Value) -> Self {
        let mut hand = Self { json, bytes: Vec::new() };
        hand.json["asset"] = json!({ "version": "2.0" });
        hand
    }

    pub fn push(&mut self, list: &str, value: Value) -> usize {
        if self.json[list].is_null() {
            self.json[list] = json!([]);
        }
        let list = self.json[list].as_array_mut().expect("a list");
        list.push(value);
        list.len() - 1
    }

    pub fn view(&mut self, bytes: &[u8], stride: Option<usize>) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(stride) = stride {
            view["byteStride"] = stride.into();
        }
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.push("bufferViews", view)
    }

    pub fn accessor(&mut self, bytes: &[u8], component: u32, shape: &str, count: usize) -> usize {
        let view = self.view(bytes, None);
        self.push(
            "accessors",
            json!({ "bufferView": view, "componentType": component, "type": shape, "count": count }),
        )
    }

    pub fn floats(&mut self, shape: &str, values: &[f32]) -> usize {
        let width = match shape {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.accessor(&bytes, 5126, shape, values.len() / width)
    }

    pub fn text(mut self) -> Vec<u8> {
        let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(&self.bytes));
        self.json["buffers"] = json!([{ "byteLength": self.bytes.len(), "uri": uri }]);
        self.json.to_string().into_bytes()
    }

    pub fn scene(self) -> Scene {
        import(&self.text()).unwrap_or_else(|error| panic!("{error}")).scene
    }

    pub fn error(self) -> String {
        import(&self.text()).expect_err("an invalid file").to_string()
    }
}
