//! `cargo run -p step05_selfpipe`: judges your page of this step; `-- help` lists what else it
//! does.

mod scenes;
mod trials;

fn main() -> std::process::ExitCode {
    runner::main(&runner::Declared {
        package: env!("CARGO_PKG_NAME"),
        title: "the self-pipe",
        manifest_dir: env!("CARGO_MANIFEST_DIR"),
        scenes: scenes::SCENES,
        keys: runner::keys!(),
        trials: trials::TRIALS,
        exercises: include_str!("../exercises.toml"),
        serve: Some(|port| Ok(step05_selfpipe::serve(port)?)),
    })
}
