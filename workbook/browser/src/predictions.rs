//! A page's predictions, and a script that fills them in.

use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::book;

/// Returns a page's predictions as the builder has written them, before the page's script turns
/// them into forms.
pub fn predictions_of(page: &str) -> Result<Vec<Value>> {
    let html = fs::read_to_string(book()?.join(page)).with_context(|| page.to_owned())?;
    let begin = "class=\"predict\"><script type=\"application/json\">";
    let data = html.split(begin).skip(1).filter_map(|after| after.split("</script>").next());
    data.map(|data| serde_json::from_str(data).with_context(|| page.to_owned())).collect()
}

/// A script that answers a form, given the lines of the transcript. For each line, the script
/// enters the values that produce that line, or wrong values if `isWrong` is true. For an empty
/// line, the script enters nothing.
pub const ANSWER: &str = r#"
(place, lines, isWrong = false) => {
    const spaced = (text) => text.trim().replace(/\s+/g, " ");
    const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const fieldsOf = (row) => [...row.querySelectorAll("input, select")];
    const wordsOf = (field) => field?.options ? [...field.options].map((it) => escaped(it.text)).join("|") : ".*";
    const valuesIn = (asked, line, fields = []) => {
        const pieces = spaced(asked).split("____").map(escaped);
        const pattern = pieces.reduce((before, piece, at) => `${before}(${wordsOf(fields[at - 1])})${piece}`);
        return new RegExp(`^${pattern}$`).exec(spaced(line))?.slice(1).map((value) => value.trim());
    };
    const askedIn = (row) => [...row.querySelector(".line").childNodes]
        .map((it) => it.matches?.("input, select") ? "____" : it.textContent).join("");
    const set = (row, values) => fieldsOf(row).forEach((field, at) => {
        const options = [...field.options ?? []].filter((it) => it.value !== "");
        const option = options.find((it) => (it.text === values[at]) !== isWrong);
        field.value = field.options ? option?.value ?? "" : isWrong ? "987654" : values[at];
    });
    const literal = (option) => option.text.replaceAll("…", "").length;
    lines.forEach((line, at) => {
        const row = place.querySelectorAll("ol.lines > li")[at];
        if (!line) {
            return;
        }
        if (!row.matches(".chosen")) {
            set(row, valuesIn(askedIn(row), line, fieldsOf(row)));
            return;
        }
        const [list] = fieldsOf(row);
        const offers = [...list.options].slice(1);
        const makers = offers.filter(({ text }) => valuesIn(text.replaceAll("…", "____"), line) !== undefined);
        makers.sort((one, other) => literal(other) - literal(one));
        list.value = (isWrong ? offers.find((it) => !makers.includes(it)) : makers[0]).value;
        list.dispatchEvent(new Event("change"));
        const filled = row.querySelector(".line");
        if (filled) {
            set(filled, isWrong ? [] : valuesIn(askedIn(row), line, fieldsOf(filled)));
        }
    });
}
"#;
