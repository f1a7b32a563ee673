//! Scenes as snapshot tests.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::performance::Performance;
use crate::root::find_root;

/// Plays a scene in a process of its own and returns its transcript.
///
/// Panics with a sentence that says why, if the scene is not clean.
pub fn transcript(program: &str, scene: &str) -> String {
    let performance = Performance::of(Path::new(program), scene).expect("start the scene");
    if let Some(sentence) = performance.sentence() {
        panic!(
            "{scene}: {sentence}\ntranscript so far:\n{}printed:\n{}",
            performance.transcript, performance.printed
        );
    }
    performance.transcript
}

/// Checks that tests, scenes and answer keys name the same.
pub fn none_is_forgotten(program: &str, manifest_dir: &str, package: &str, tested: &[&str]) {
    let output =
        Command::new(program).args(["play", "--names"]).output().expect("ask for the scenes");
    let text = String::from_utf8_lossy(&output.stdout);
    let scenes: BTreeSet<&str> = text.lines().collect();
    let tested: BTreeSet<&str> = tested.iter().copied().collect();
    assert_eq!(tested, scenes, "the tests (left) and the program's scenes (right) differ");

    // A page is judged by the step's own answer keys.
    let root = find_root(Path::new(manifest_dir)).expect("a copy of the workbook");
    let snapshots = root.join(package).join("tests/snapshots");
    let keys: BTreeSet<String> = std::fs::read_dir(&snapshots)
        .expect("list the answer keys")
        .map(|entry| entry.expect("an answer key").file_name())
        .filter_map(|name| Some(name.to_str()?.strip_suffix(".snap")?.to_owned()))
        .collect();
    let keys: BTreeSet<&str> = keys.iter().map(String::as_str).collect();
    assert_eq!(keys, scenes, "the answer keys (left) and the scenes (right) differ");
}

/// A snapshot test for each scene of a step, and one that none is forgotten.
#[macro_export]
macro_rules! scene_tests {
    ($program:expr; $($scene:ident),+ $(,)?) => {
        $(
            #[test]
            fn $scene() {
                insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
                    insta::assert_snapshot!(
                        stringify!($scene),
                        $crate::testing::transcript($program, stringify!($scene))
                    );
                });
            }
        )+

        #[test]
        fn no_scene_and_no_answer_key_is_forgotten() {
            $crate::testing::none_is_forgotten(
                $program,
                env!("CARGO_MANIFEST_DIR"),
                env!("CARGO_PKG_NAME"),
                &[$(stringify!($scene)),+],
            );
        }
    };
}
