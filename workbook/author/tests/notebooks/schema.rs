//! A validator for the part of JSON Schema (draft 2020-12) that `events.schema.json` uses. Unknown
//! keywords are errors, so no keyword is ignored.
//!
//! A crate that supports all of JSON Schema would take nearly a tenth of the total compile time of
//! `cargo test --workspace`.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use crate::stream::file;

/// Reads the schema.
pub(crate) fn schema() -> Value {
    serde_json::from_str(&file("workbook/events.schema.json")).expect("a schema in JSON")
}

/// A strict version of the schema, which doesn't allow additional fields.
static STRICT: LazyLock<Value> = LazyLock::new(|| {
    let mut schema = schema();
    forbid_others(&mut schema);
    schema
});

fn forbid_others(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.contains_key("required") {
                fields.insert("additionalProperties".to_owned(), json!(false));
            }
            fields.values_mut().for_each(forbid_others);
        }
        Value::Array(items) => items.iter_mut().for_each(forbid_others),
        _ => (),
    }
}

/// Returns the parts of an event that don't fit the schema.
pub(crate) fn misfits(event: &Value) -> Vec<String> {
    misfits_at("", event, &STRICT, &STRICT)
}

/// Returns the parts of a value that don't fit part of a schema.
fn misfits_at(at: &str, value: &Value, part: &Value, schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (keyword, wanted) in part.as_object().unwrap_or_else(|| panic!("no schema: {part}")) {
        let fits = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" => true,
            "type" => one_or_many(wanted).any(|name| is_a(value, name)),
            "const" => value == wanted,
            "enum" => list(wanted).contains(value),
            "minimum" => value.as_f64().is_none_or(|it| it >= wanted.as_f64().expect("a number")),
            "pattern" => value.as_str().is_none_or(|text| {
                let pattern = Regex::new(wanted.as_str().expect("a pattern"));
                pattern.expect("a pattern").is_match(text)
            }),
            "required" => {
                let has = |key: &Value| value.get(key.as_str().expect("a key")).is_some();
                !value.is_object() || list(wanted).iter().all(has)
            }
            "additionalProperties" => {
                assert_eq!(wanted, &json!(false), "another one isn't known here");
                let is_named = |key| part["properties"].get(key).is_some();
                value.as_object().is_none_or(|fields| fields.keys().all(is_named))
            }
            "$ref" => {
                found.extend(misfits_at(at, value, definition(schema, wanted), schema));
                true
            }
            "properties" => {
                for (key, part) in wanted.as_object().expect("schemas by key") {
                    if let Some(value) = value.get(key) {
                        found.extend(misfits_at(&format!("{at}/{key}"), value, part, schema));
                    }
                }
                true
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(misfits_at(&format!("{at}/{index}"), item, wanted, schema));
                }
                true
            }
            "anyOf" | "oneOf" => {
                let of_each = list(wanted).iter().map(|part| misfits_at(at, value, part, schema));
                let of_each: Vec<_> = of_each.collect();
                let fitting = of_each.iter().filter(|misfits| misfits.is_empty()).count();
                // Report the alternative that fits best, since the value was most likely meant to
                // match that one.
                found.extend(of_each.into_iter().min_by_key(Vec::len).into_iter().flatten());
                fitting == 1 || (fitting > 1 && keyword == "anyOf")
            }
            _ => panic!("the keyword {keyword} isn't known here"),
        };
        if !fits {
            found.push(format!("{at}: {value} doesn't fit {keyword}"));
        }
    }
    found
}

fn definition<'a>(whole: &'a Value, reference: &Value) -> &'a Value {
    let name = reference.as_str().and_then(|it| it.strip_prefix("#/$defs/")).expect("a definition");
    whole["$defs"].get(name).unwrap_or_else(|| panic!("no definition of {name}"))
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

fn one_or_many(types: &Value) -> impl Iterator<Item = &str> {
    let many = types.as_array().map_or(std::slice::from_ref(types), Vec::as_slice);
    many.iter().map(|it| it.as_str().expect("the name of a type"))
}

fn is_a(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => panic!("no type: {name}"),
    }
}

#[test]
fn what_does_not_fit_a_schema_is_found() {
    let schema = json!({
        "oneOf": [
            {"$ref": "#/$defs/named"}, {"type": ["integer", "null"], "minimum": 1}, {"const": 7}
        ],
        "$defs": {"named": {
            "type": "object", "required": ["name"], "additionalProperties": false,
            "properties": {
                "name": {"type": "string", "pattern": "^[a-z]+$"},
                "of": {"type": "array", "items": {"enum": ["a", "b"]}},
                "kind": {"const": "k"},
                "any": {"anyOf": [{"type": "boolean"}, {"type": "number"}]},
            }
        }}
    });
    for right in [
        json!({"name": "x"}),
        json!({"name": "x", "of": ["a", "b", "a"], "kind": "k", "any": 0.5}),
        json!({"name": "x", "of": [], "any": true}),
        json!(1),
        json!(2.0),
        json!(null),
    ] {
        assert!(misfits_at("", &right, &schema, &schema).is_empty(), "{right}");
    }
    for wrong in [
        json!({}),
        json!({"name": "X"}),
        json!({"name": 1}),
        json!({"name": "x", "other": 1}),
        json!({"name": "x", "of": ["a", "c"]}),
        json!({"name": "x", "kind": "K"}),
        json!({"name": "x", "any": "1"}),
        json!(0),
        // This value fits two of the three alternatives.
        json!(7),
        json!(1.5),
        json!("x"),
        json!([]),
        json!(["x"]),
    ] {
        assert!(!misfits_at("", &wrong, &schema, &schema).is_empty(), "{wrong}");
    }
}
