//! A scene on the teacher's machine, line by line. It's the only program that the class starts, and
//! only when the teacher asks for it.

use std::rc::Rc;
use std::time::Duration;

use cockpit::TIME_LIMIT;
use cockpit::web::{Ended, Program, Programs};
use ecosystem::LoopTimer;
use futures_util::future::{Either, select};
use serde_json::Value;

/// How long a line stands alone before the next one comes. A scene prints its lines within
/// milliseconds, and a class wants to read them.
const PACE: Duration = Duration::from_millis(400);

/// Plays a scene on the reference, and returns its lines. Fails with a sentence for the teacher,
/// also if they aren't those that the book expects: then the poll can't be judged.
pub(crate) async fn play(
    programs: &Rc<Programs>,
    package: &str,
    scene: &str,
    expected: &[String],
    mut tell: impl FnMut(&str),
) -> Result<Vec<String>, String> {
    let words = ["-p", package, "--", "play", scene, "--json", "--reference"];
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    let started = programs.cargo_run(&words);
    let mut program = started.map_err(|error| format!("cargo can't be started: {error}"))?;
    let mut printed = Vec::new();
    let mut limit = LoopTimer.sleep(TIME_LIMIT);
    loop {
        let line = match select(Box::pin(next_line(&mut program)), &mut limit).await {
            Either::Left((line, _)) => line?,
            Either::Right(_) => return Err("the scene took too long".to_owned()),
        };
        let Some(line) = line else { break };
        if !printed.is_empty() {
            LoopTimer.sleep(PACE).await;
        }
        tell(&line);
        printed.push(line);
    }
    let ended = program.ended().await.map_err(|error| error.to_string())?;
    match ended {
        // A line with several lines in it is several of the sheet's.
        Ended { code: 0, .. } if printed.join("\n") == expected.join("\n") => Ok(printed),
        Ended { code: 0, .. } => Err("it printed something else than the book says".to_owned()),
        Ended { report, .. } => {
            Err(format!("`cargo run {}` failed: {}", words.join(" "), report.trim()))
        }
    }
}

/// Waits for the next line of the transcript.
async fn next_line(program: &mut Program) -> Result<Option<String>, String> {
    loop {
        let line = program.line().await.map_err(|error| error.to_string())?;
        let Some(line) = line else { return Ok(None) };
        let event: Value = serde_json::from_str(&line).unwrap_or_default();
        if event["event"] == "line"
            && let Some(text) = event["text"].as_str()
        {
            return Ok(Some(text.to_owned()));
        }
    }
}
