//! Markdown that several pages write.

/// Returns a block of Rust.
pub(crate) fn rust(code: &str) -> String {
    block("rust", code)
}

/// Returns a block of code in a language.
pub(crate) fn block(language: &str, code: &str) -> String {
    format!("```{language}\n{code}\n```")
}
