//! Pages that were begun when what's hidden was in files of the steps. Their `lib.rs` says:
//!
//! ```text
//! // Not copied onto a page: it's part of the answer to 2.3.
//! #[path = "../../../step02_epoll/src/failed.rs"]
//! mod failed;
//! ```
//!
//! Today such modules are in the notebook. Those of step 02 are elsewhere on a new page, so an old one
//! keeps them as they were.

use std::path::{Path, PathBuf};

use super::hidden::DIR;

/// The steps that had such modules, and the modules.
const MODULES: [(&str, &[&str]); 3] = [
    ("step02_epoll", &["failed", "precise", "writable"]),
    ("step03_selector", &["poll_like"]),
    ("step06_tasks", &["for_trials"]),
];

/// What was in those of step 02.
const FILES: [(&str, &str); 3] = [
    ("failed.rs", include_str!("edition_1/failed.txt")),
    ("precise.rs", include_str!("edition_1/precise.txt")),
    ("writable.rs", include_str!("edition_1/writable.txt")),
];

/// Returns the modules of an old page that the notebook has to have, each with its path.
pub(super) fn files(package: &str, lib: &str) -> Vec<(PathBuf, &'static str)> {
    let is_old = |file: &str| lib.contains(&format!("/{DIR}/{package}/{file}\"]"));
    let files = FILES.into_iter().filter(|(file, _)| is_old(file));
    files.map(|(file, text)| (Path::new(DIR).join(package).join(file), text)).collect()
}

/// Lets the modules of an old page be found in the notebook. Changes only paths.
pub fn with_paths_into_the_notebook(package: &str, lib: &str) -> String {
    let modules = MODULES.iter().filter(|(step, _)| *step == package);
    modules.flat_map(|(_, modules)| *modules).fold(lib.to_owned(), |lib, module| {
        let end = format!("/{package}/src/{module}.rs\"]");
        let with_path = |line: &str| match line.strip_prefix("#[path = \"") {
            Some(path) if path.trim_end().ends_with(&end) => {
                line.replace(path.trim_end(), &format!("../../{DIR}/{package}/{module}.rs\"]"))
            }
            _ => line.to_owned(),
        };
        lib.split_inclusive('\n').map(with_path).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "mod mine;\n// Not copied onto a page: it's part of the answer to 2.3.\n\
                       #[path = \"../../../step02_epoll/src/failed.rs\"]\r\nmod failed;\n";

    #[test]
    fn only_the_paths_of_such_modules_change() {
        let now = with_paths_into_the_notebook("step02_epoll", OLD);
        let expected = OLD.replace("../../../step02_epoll/src", "../../.hidden/step02_epoll");
        assert_eq!(now, expected);
        assert_eq!(with_paths_into_the_notebook("step02_epoll", &now), now);
        let mine = "#[path = \"../mine/failed.rs\"]\nmod failed;\n";
        assert_eq!(with_paths_into_the_notebook("step02_epoll", mine), mine);
        assert_eq!(with_paths_into_the_notebook("step01_fd", OLD), OLD);
    }

    #[test]
    fn an_old_page_has_its_modules_and_a_new_one_none_of_them() {
        let lib = with_paths_into_the_notebook("step02_epoll", OLD);
        let names: Vec<PathBuf> =
            files("step02_epoll", &lib).into_iter().map(|(file, _)| file).collect();
        assert_eq!(names, [Path::new(".hidden/step02_epoll/failed.rs")]);
        assert!(files("step02_epoll", "mod epoll;\n").is_empty());
    }
}
