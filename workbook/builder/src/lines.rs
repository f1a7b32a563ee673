//! Counts the lines of code in a layer.

use anyhow::Result;

use crate::steps::StepSource;

/// The directory in a step's source that isn't part of the step's layer.
const BESIDE: &str = "echo_server/";

/// Returns the number of lines of code in a step's layer, not counting comments, blank lines and
/// tests.
pub(crate) fn of_layer(step: &StepSource) -> Result<String> {
    let layer = step.files()?.into_iter().filter(|(name, _)| !name.starts_with(BESIDE));
    Ok(thousands(layer.map(|(_, text)| lines_of_code(&text)).sum()))
}

fn lines_of_code(text: &str) -> usize {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let says_something = |line: &&str| !line.is_empty() && !line.starts_with("//");
    code.lines().map(str::trim).filter(says_something).count()
}

pub(crate) fn thousands(count: usize) -> String {
    match (count / 1000, count % 1000) {
        (0, rest) => rest.to_string(),
        (thousands, rest) => format!("{thousands},{rest:03}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blank_lines_and_tests_do_not_count() {
        let text = "//! A file.\n\n/// One.\nfn one() {\n    // Why.\n}\n\n#[cfg(test)]\nmod tests {\n    fn two() {}\n}\n";
        assert_eq!(lines_of_code(text), 2);
    }

    #[test]
    fn large_numbers_have_a_comma() {
        assert_eq!([999, 1000, 12_045].map(thousands), ["999", "1,000", "12,045"]);
    }
}
