//! `cargo run -p step03_selector`: judges your page of this step; `-- help` lists what else it
//! does.

mod scenes;
mod trials;

fn main() -> std::process::ExitCode {
    runner::main(&runner::Declared {
        package: env!("CARGO_PKG_NAME"),
        title: "the selector",
        manifest_dir: env!("CARGO_MANIFEST_DIR"),
        scenes: scenes::SCENES,
        keys: runner::keys!(),
        trials: trials::TRIALS,
        exercises: include_str!("../exercises.toml"),
        serve: Some(|port| Ok(step03_selector::serve(port)?)),
    })
}
