//! Markdown that several pages write.

/// Returns a block of what a file contains: Python, or else Rust.
pub(crate) fn code_of(file: &str, code: &str) -> String {
    let is_python = file.ends_with(".py");
    if is_python { format!("```python\n{}\n```", code.trim_end()) } else { rust(code) }
}

/// Returns a block of Rust.
pub(crate) fn rust(code: &str) -> String {
    format!("```rust\n{code}\n```")
}
