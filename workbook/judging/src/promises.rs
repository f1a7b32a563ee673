//! The statements in a function's docs that no check covers.
//!
//! There are two forms, each in a separate paragraph. `Not checked: X holds.` is still a promise: X
//! must hold for every body of the function. `Free: whether X holds.` means that X may hold or not,
//! as the body's author chooses. A reader whose body has turned green sees only the first form.

/// Returns the paragraphs of a function's docs that begin with `Not checked: `, without this mark.
/// Each paragraph describes an unchecked promise.
pub fn not_checked(function: &str) -> Vec<String> {
    marked(function, "Not checked: ")
}

/// Returns the paragraphs of a function's docs that begin with `Free: `, without this mark. Each
/// paragraph describes a choice that a body's author may make.
pub fn free(function: &str) -> Vec<String> {
    marked(function, "Free: ")
}

fn marked(function: &str, mark: &str) -> Vec<String> {
    let docs = function.lines().filter_map(|line| line.trim().strip_prefix("///"));
    let docs: Vec<&str> = docs.map(str::trim).collect();
    let paragraphs = docs.split(|line| line.is_empty()).map(|lines| lines.join(" "));
    paragraphs.filter_map(|it| Some(it.strip_prefix(mark)?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_checked_and_what_is_free_are_paragraphs_of_the_docs() {
        let function = "    /// Sleeps.\n    ///\n    /// Not checked: a sleep (of 0 s)\n    \
                        /// is short.\n    ///\n    /// Free: whether it yawns.\n    ///\n    \
                        /// Not checked: it dreams.\n    fn sleep() {}\n";
        assert_eq!(not_checked(function), ["a sleep (of 0 s) is short.", "it dreams."]);
        assert_eq!(free(function), ["whether it yawns."]);
        let within = "/// Sleeps. Not checked: it dreams.\nfn sleep() {}\n// Free: to go.\n";
        assert!(not_checked(within).is_empty() && free(within).is_empty());
    }
}
