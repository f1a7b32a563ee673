//! `cargo run -p from_scratch`: judges your loop from scratch; `-- help` lists the other commands.

mod idle;
mod stage1;
mod stage2;
mod stage3;
mod stage4;
mod stage5;
mod waiting;
mod watch;

use scene::{Scene, Trial};

#[global_allocator]
static ALLOCATOR: kit::memory::Counting = kit::memory::Counting;

fn main() -> std::process::ExitCode {
    // A loop may keep descriptors for the life of the process. The last stage counts descriptors
    // itself.
    scene::descriptors::may_stay_open();
    let scenes: [&[Scene]; 5] =
        [stage1::SCENES, stage2::SCENES, stage3::SCENES, stage4::SCENES, stage5::SCENES];
    let trials: [&[Trial]; 5] =
        [stage1::TRIALS, stage2::TRIALS, stage3::TRIALS, stage4::TRIALS, stage5::TRIALS];
    runner::main(&runner::Declared {
        package: env!("CARGO_PKG_NAME"),
        title: "a loop in an empty file",
        manifest_dir: env!("CARGO_MANIFEST_DIR"),
        scenes: scenes.concat().leak(),
        keys: runner::keys!(),
        trials: trials.concat().leak(),
        exercises: include_str!("../exercises.toml"),
        serve: None,
    })
}
