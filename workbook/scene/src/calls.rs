//! The calls that led to a panic or a moment, without calls in std and in external crates.
//!
//! std can print a backtrace but doesn't let a program inspect it. So we parse the printed text,
//! which contains each function's name and, if there's debug information, a further line with the
//! place that the function has reached: `at ./src/future.rs:88:9`.

use std::backtrace::Backtrace;

use crate::record::Call;

/// Returns the calls that the current thread is in, innermost first, without calls in std and in
/// external crates.
pub(crate) fn calls_so_far() -> Vec<Call> {
    calls_in(&Backtrace::force_capture().to_string())
}

fn calls_in(backtrace: &str) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut function = "";
    for line in backtrace.lines().map(str::trim) {
        let Some(place) = line.strip_prefix("at ") else {
            function = line.split_once(": ").map_or(line, |(_number, name)| name);
            continue;
        };
        let mut parts = place.rsplitn(3, ':');
        let (_column, line, file) = (parts.next(), parts.next(), parts.next());
        if let (Some(line), Some(file)) = (line, file)
            && !is_foreign(file)
        {
            calls.push(Call {
                function: name_of(function),
                file: file.to_owned(),
                line: line.to_owned(),
            });
        }
    }
    calls
}

/// Returns true if a file belongs to std or to a crate outside the workbook.
fn is_foreign(file: &str) -> bool {
    ["/rustc/", "/rustlib/src/", "/registry/src/"].iter().any(|part| file.contains(part))
}

/// Returns a function's name without its path and its types. A closure gets the name of its
/// enclosing function.
fn name_of(function: &str) -> String {
    let mut depth = 0_usize;
    let without_types: String = function
        .chars()
        .filter(|char| {
            depth += usize::from(*char == '<');
            let is_outside = depth == 0;
            depth = depth.saturating_sub(usize::from(*char == '>'));
            is_outside
        })
        .collect();
    let mut names = without_types.rsplit("::").filter(|name| !name.starts_with('{'));
    names.next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BACKTRACE: &str = "\
   0: core::cell::panic_already_borrowed::do_panic::runtime
             at /rustc/59807616e1fa/library/core/src/panic.rs:172:21
   1: step06_tasks::future::Future<T>::add_done_callback
             at ./src/future.rs:165:9
   2: step06_tasks::scenes::futures::asks::{{closure}}
             at ./../../step06_tasks/experiments/scenes/futures.rs:26:31
   3: step06_tasks::task::step<alloc::string::String>
             at ./src/task.rs:130:9
   4: main
";

    #[test]
    fn the_calls_are_those_of_the_workbook_s_own_code() {
        let calls = calls_in(BACKTRACE);
        let told =
            calls.iter().map(|Call { function, file, line }| (&**function, &**file, &**line));
        let scene = "./../../step06_tasks/experiments/scenes/futures.rs";
        let expected = [("add_done_callback", "./src/future.rs", "165"), ("asks", scene, "26")];
        let expected = [&expected[..], &[("step", "./src/task.rs", "130")]].concat();
        assert_eq!(told.collect::<Vec<_>>(), expected);
    }
}
