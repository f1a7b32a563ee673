//! Functions with which several modules write Markdown.

/// Returns a block of Rust code.
pub(crate) fn rust(code: &str) -> String {
    block("rust", code)
}

/// Returns a block of code in the given language.
pub(crate) fn block(language: &str, code: &str) -> String {
    format!("```{language}\n{code}\n```")
}

/// Escapes the characters that have a special meaning in HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
