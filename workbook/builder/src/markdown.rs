//! Markdown that several pages write.

/// Returns a block of Rust.
pub(crate) fn rust(code: &str) -> String {
    format!("```rust\n{code}\n```")
}
