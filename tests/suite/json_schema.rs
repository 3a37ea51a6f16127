//! A validator for the part of JSON Schema that the published schemas use.

use serde_json::Value;

/// Returns where and how a value violates its schema; `None` if it is valid.
pub fn breach(schema: &Value, value: &Value) -> Option<String> {
    Validator { root: schema }.breach(schema, value)
}

struct Validator<'a> {
    root: &'a Value,
}

impl Validator<'_> {
    fn breach(&self, schema: &Value, value: &Value) -> Option<String> {
        let Some(keywords) = schema.as_object() else {
            return (schema == &Value::Bool(false)).then(|| "nothing is allowed here".into());
        };
        keywords.iter().find_map(|(keyword, wanted)| self.breach_of(keyword, wanted, schema, value))
    }

    fn breach_of(&self, keyword: &str, wanted: &Value, schema: &Value, value: &Value) -> Option<String> {
        let unless = |holds: bool| (!holds).then(|| format!("{keyword} {wanted:.80}: {value:.80}"));
        let len = |value: &Value| value.as_array().map_or(0, Vec::len) as u64;
        match keyword {
            "$schema" | "$defs" | "description" => None,
            meaning if meaning.starts_with("x-") => None,
            "$ref" => {
                let pointer = wanted.as_str().expect("a text").trim_start_matches('#');
                self.breach(self.root.pointer(pointer).expect("a type that is described"), value)
            }
            "type" => unless(match wanted {
                Value::Array(types) => types.iter().any(|wanted| is_a(value, wanted)),
                wanted => is_a(value, wanted),
            }),
            "const" => unless(value == wanted),
            "pattern" => {
                assert_eq!(wanted, "^0x[0-9a-fA-F]+$", "the only pattern there is");
                let bits = value.as_str().and_then(|text| text.strip_prefix("0x"));
                unless(bits.is_some_and(|bits| u64::from_str_radix(bits, 16).is_ok()))
            }
            "minimum" => unless(integer(value) >= integer(wanted)),
            "maximum" => unless(integer(value) <= integer(wanted)),
            "minItems" => unless(len(value) >= wanted.as_u64().expect("a number")),
            "maxItems" => unless(len(value) <= wanted.as_u64().expect("a number")),
            "anyOf" => {
                let mut forms = wanted.as_array().expect("a list").iter();
                let breaches: Option<Vec<_>> = forms.try_fold(Vec::new(), |mut all, form| {
                    all.push(self.breach(form, value)?);
                    Some(all)
                });
                breaches.map(|all| format!("none of: {}", all.join(" | ")))
            }
            "items" => value
                .as_array()?
                .iter()
                .enumerate()
                .find_map(|(index, item)| self.breach(wanted, item).map(|why| format!("[{index}] {why}"))),
            "prefixItems" => value
                .as_array()?
                .iter()
                .zip(wanted.as_array().expect("a list"))
                .find_map(|(item, wanted)| self.breach(wanted, item)),
            "properties" => value.as_object()?.iter().find_map(|(name, member)| {
                self.breach(wanted.get(name)?, member).map(|why| format!(".{name} {why}"))
            }),
            "required" => {
                let mut names = wanted.as_array().expect("a list").iter();
                unless(names.all(|name| value.get(name.as_str().expect("a text")).is_some()))
            }
            "additionalProperties" => {
                let known = schema["properties"].as_object().expect("an object");
                unless(value.as_object()?.keys().all(|name| known.contains_key(name)))
            }
            other => panic!("our schemas have no `{other}`"),
        }
    }
}

fn is_a(value: &Value, wanted: &Value) -> bool {
    match wanted.as_str().expect("a type") {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("our schemas have no type `{other}`"),
    }
}

fn integer(value: &Value) -> Option<i128> {
    value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from))
}
