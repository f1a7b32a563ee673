//! The programs that the notebook generates next to the reader's sources.

/// The directory of the program that a bare `cargo run` in the notebook starts.
pub(crate) const MAP: &str = ".map";

/// Makes the manifest of the program that shows the map.
pub(crate) fn map_manifest(owner: &str) -> String {
    format!(
        "# A bare `cargo run` in the notebook shows the map.\n\
         [package]\n\
         name = \"map\"\n\
         version = \"0.1.0-{owner}\"\n\
         edition.workspace = true\n\
         publish = false\n\
         \n\
         [[bin]]\n\
         name = \"map\"\n\
         path = \"main.rs\"\n\
         \n\
         [dependencies]\n\
         scene.workspace = true\n"
    )
}

/// Makes the program that shows the map. The workbook's own program does the work.
pub(crate) fn map() -> String {
    "//! Shows the map. The workbook made this file.\n\
     \n\
     fn main() -> std::process::ExitCode {\n    \
         scene::run_the_workbooks_own_program(env!(\"CARGO_MANIFEST_DIR\"))\n\
     }\n"
    .to_owned()
}

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
