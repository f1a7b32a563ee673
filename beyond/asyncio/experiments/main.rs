//! `cargo run -p asyncio`: judges your page of the library; `-- help` lists what else it does.

mod scenes;
mod trials;

fn main() -> std::process::ExitCode {
    runner::main(&runner::Declared {
        package: env!("CARGO_PKG_NAME"),
        title: "the library",
        manifest_dir: env!("CARGO_MANIFEST_DIR"),
        scenes: scenes::SCENES,
        keys: runner::keys!(),
        trials: trials::TRIALS,
        exercises: include_str!("../exercises.toml"),
        serve: None,
    })
}
