//! `cargo run -p asyncio`: judges your page of the library; `-- help` lists what else it does.

mod exercises;
mod scenes;
mod trials;

fn main() -> std::process::ExitCode {
    runner::main(&runner::Step {
        package: env!("CARGO_PKG_NAME"),
        title: "the library",
        manifest_dir: env!("CARGO_MANIFEST_DIR"),
        scenes: scenes::SCENES,
        keys: runner::keys!(),
        trials: trials::TRIALS,
        exercises: exercises::EXERCISES,
        serve: None,
    })
}
