//! Scenes as snapshot tests.

use std::process::Command;

/// Plays a scene in a process of its own and returns its transcript.
pub fn transcript(program: &str, scene: &str) -> String {
    let output = Command::new(program).args(["play", scene]).output().expect("play a scene");
    assert!(output.status.success(), "{scene}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("a transcript is UTF-8")
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
    };
}
