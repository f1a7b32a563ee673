//! JSON in the form that we print: on one line, with an object's keys in the order in which our
//! source code lists them. People read these lines, too, and tinyjson, which we use to read JSON,
//! would shuffle the keys.

use std::fmt;

use anyhow::Context;
use tinyjson::JsonValue;

/// A JSON value, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json(String);

/// Creates an object from names and values: `object! { scene: name, of: 3 }`.
#[macro_export]
macro_rules! object {
    ($($name:ident: $value:expr),* $(,)?) => {
        $crate::json::Json::object(&[$((stringify!($name), $crate::json::Json::from($value))),*])
    };
}

impl Json {
    /// Creates an object.
    pub fn object(fields: &[(&str, Json)]) -> Json {
        let fields: Vec<String> =
            fields.iter().map(|(name, value)| format!("{}:{value}", Json::from(*name))).collect();
        Json(format!("{{{}}}", fields.join(",")))
    }

    /// Appends another object's fields to this object's fields.
    #[must_use]
    pub fn and(self, other: Json) -> Json {
        if other.0 == "{}" {
            return self;
        }
        let separator = if self.0 == "{}" { "" } else { "," };
        Json(format!("{}{separator}{}", &self.0[..self.0.len() - 1], &other.0[1..]))
    }

    /// Parses JSON that one of our programs has printed or saved.
    pub fn parsed(text: &str) -> anyhow::Result<Json> {
        let _: JsonValue = text.trim().parse().context("parse JSON")?;
        Ok(Json(text.trim().to_owned()))
    }

    /// Creates a list.
    pub fn list<T: Into<Json>>(items: impl IntoIterator<Item = T>) -> Json {
        let items: Vec<String> = items.into_iter().map(|item| item.into().0).collect();
        Json(format!("[{}]", items.join(",")))
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        // The conversion fails only for a number that isn't finite.
        Json(JsonValue::from(text.to_owned()).stringify().unwrap_or_default())
    }
}

impl From<&String> for Json {
    fn from(text: &String) -> Json {
        Json::from(text.as_str())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::from(text.as_str())
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json(value.to_string())
    }
}

impl From<usize> for Json {
    fn from(number: usize) -> Json {
        Json(number.to_string())
    }
}

impl From<u32> for Json {
    fn from(number: u32) -> Json {
        Json(number.to_string())
    }
}

impl From<f64> for Json {
    /// Creates a number with one decimal place. That's enough, because the only fractions that we
    /// print are times in seconds.
    fn from(number: f64) -> Json {
        Json(format!("{number:.1}"))
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Json {
        value.map_or_else(|| Json("null".to_owned()), Into::into)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Json {
        Json::list(items)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_object_is_a_line_with_its_keys_in_order() {
        let none: Option<&str> = None;
        let inner = object! { seconds: 1.25, is_done: true };
        let text = object! { text: "two\nlines \"quoted\"", none: none, list: vec![1_u32, 2], inner: inner };
        assert_eq!(
            text.to_string(),
            r#"{"text":"two\nlines \"quoted\"","none":null,"list":[1,2],"inner":{"seconds":1.2,"is_done":true}}"#
        );
    }

    #[test]
    fn fields_are_put_behind_others() {
        let nested = object! { a: object! {} };
        assert_eq!(object! { b: 1_u32 }.and(nested).to_string(), r#"{"b":1,"a":{}}"#);
        assert_eq!(object! { b: 1_u32 }.and(object! {}).to_string(), r#"{"b":1}"#);
    }
}
