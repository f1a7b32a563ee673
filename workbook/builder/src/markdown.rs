//! Markdown that several pages write.

use std::path::Path;

/// Returns a block of what a file contains: Python, or else Rust.
pub(crate) fn code_of(file: &str, code: &str) -> String {
    let is_python = Path::new(file).extension().is_some_and(|it| it == "py");
    if is_python { format!("```python\n{}\n```", code.trim_end()) } else { rust(code) }
}

/// Returns a block of Rust.
pub(crate) fn rust(code: &str) -> String {
    format!("```rust\n{code}\n```")
}
