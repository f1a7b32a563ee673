//! A page's `main.rs`, which the notebook generates next to the reader's `src/`.

/// Makes a page's program: the step's scenes and server, on the reader's layer.
pub(crate) fn program(package: &str, has_server: bool, up: &str) -> String {
    let scenes = format!("../{up}/{package}/src/scenes/mod.rs");
    let trials = format!("../{up}/{package}/src/trials/mod.rs");
    let serve = if has_server {
        format!("Some(|port| Ok({package}::serve(port)?))")
    } else {
        "None".to_owned()
    };
    format!(
        "//! Runs the step's scenes on your layer. The workbook made this file.\n\
         \n\
         #[path = \"{scenes}\"]\n\
         mod scenes;\n\
         #[path = \"{trials}\"]\n\
         mod trials;\n\
         \n\
         fn main() -> std::process::ExitCode {{\n    \
             scene::main(&scene::Page {{\n        \
                 package: env!(\"CARGO_PKG_NAME\"),\n        \
                 manifest_dir: env!(\"CARGO_MANIFEST_DIR\"),\n        \
                 scenes: scenes::SCENES,\n        \
                 trials: trials::TRIALS,\n        \
                 serve: {serve},\n    \
             }})\n\
         }}\n"
    )
}
