//! `cargo run -p step01_fd`: judges your page of this step; `-- help` lists what else it does.

mod scenes;

fn main() -> std::process::ExitCode {
    workbook::main(&workbook::Step {
        package: env!("CARGO_PKG_NAME"),
        title: "descriptors",
        manifest_dir: env!("CARGO_MANIFEST_DIR"),
        scenes: scenes::SCENES,
        exercises: scenes::EXERCISES,
        serve: None,
    })
}
