//! `cargo run -p step03_selector`: judges your page of this step; `-- help` lists what else it does.

mod scenes;

fn main() -> std::process::ExitCode {
    workbook::main(&workbook::Step {
        package: env!("CARGO_PKG_NAME"),
        title: "the selector",
        manifest_dir: env!("CARGO_MANIFEST_DIR"),
        scenes: scenes::SCENES,
        exercises: scenes::EXERCISES,
        serve: Some(|port| Ok(step03_selector::serve(port)?)),
    })
}
