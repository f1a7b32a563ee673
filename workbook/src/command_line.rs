//! `cargo run -p stepNN… -- COMMAND`. A first cut: the runner replaces it.

use std::process::ExitCode;

use crate::{Step, Transcript};

/// Runs a step's command line.
pub fn main(step: &Step) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["play", name] => play(step, name, &mut Transcript::plain()),
        ["serve"] => step.serve.map_or(Ok(()), |serve| serve(0)),
        ["serve", "--port", port] => step.serve.map_or(Ok(()), |serve| serve(port.parse()?)),
        _ => {
            for scene in step.scenes {
                println!("{:<24} {}", scene.name, scene.about);
            }
            Ok(())
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn play(step: &Step, name: &str, transcript: &mut Transcript) -> anyhow::Result<()> {
    let scene = step.scenes.iter().find(|scene| scene.name == name);
    (scene.ok_or_else(|| anyhow::anyhow!("no scene {name}"))?.play)(transcript)
}
