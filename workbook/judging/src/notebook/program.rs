//! The programs that are generated next to the reader's sources in the notebook.

use std::path::Path;

/// The directory of the program that a bare `cargo run` starts in the notebook.
pub(crate) const MAP: &str = ".map";

/// Returns the manifest of the program that shows the map.
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

/// The source of the program that shows the map. It starts the workbook's own program, which does
/// the work.
pub(crate) const MAP_MAIN: &str = "\
//! Shows the map. The workbook made this file.

fn main() -> std::process::ExitCode {
    scene::run_the_workbooks_own_program(env!(\"CARGO_MANIFEST_DIR\"))
}
";

/// The template for a page's program, with placeholders in capital letters.
const PROGRAM: &str = "\
//! Runs the step's scenes on your layer. The workbook made this file.

#[path = \"../DIRECTORY/experiments/scenes/mod.rs\"]
mod scenes;
#[path = \"../DIRECTORY/experiments/trials/mod.rs\"]
mod trials;

fn main() -> std::process::ExitCode {
    scene::main(&scene::Page {
        package: env!(\"CARGO_PKG_NAME\"),
        manifest_dir: env!(\"CARGO_MANIFEST_DIR\"),
        scenes: scenes::SCENES,
        trials: trials::TRIALS,
        serve: SERVE,
    })
}
";

/// Returns the source of a page's program, which runs the step's scenes, trials and server on the
/// reader's layer. `directory` is the path from the notebook to the step's directory.
pub(crate) fn program(package: &str, has_server: bool, directory: &Path) -> String {
    let serve = if has_server { "Some(|port| Ok(PACKAGE::serve(port)?))" } else { "None" };
    let directory = directory.display().to_string();
    PROGRAM.replace("SERVE", serve).replace("DIRECTORY", &directory).replace("PACKAGE", package)
}
