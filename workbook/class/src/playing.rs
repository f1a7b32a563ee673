//! Plays a scene on the teacher's machine, line by line. The scene's program is the only program
//! that the class's server starts, and the server starts the program only at the teacher's request.

use std::rc::Rc;
use std::time::Duration;

use asyncio::create_task;
use cockpit::TIME_LIMIT;
use cockpit::web::{Ended, Program, Programs, Refusal};
use ecosystem::LoopTimer;
use futures_util::future::{Either, select};
use hyper::StatusCode;
use serde_json::{Value, json};

use crate::event::{Event, now};
use crate::room::{Room, event_of};
use crate::views;

/// The interval between lines. Most scenes print all their lines within milliseconds, but a class
/// needs time to read them.
const PACE: Duration = Duration::from_millis(400);

impl Room {
    /// Starts to play the current poll's scene for everyone and returns immediately.
    pub(crate) fn play(self: &Rc<Self>) -> Result<(), Refusal> {
        self.check_not_playing()?;
        let nothing = Refusal(StatusCode::CONFLICT, "there's no scene to play");
        let (package, scene, expected) = self.scene().ok_or(nothing)?;
        self.state.borrow().check(&Event::Shown { at: now(), printed: Vec::new() })?;
        *self.playing.borrow_mut() = Some(Vec::new());
        self.tell_poll();
        let room = Rc::clone(self);
        let played = create_task(async move {
            let printed = play(&room.programs, &package, &scene, &expected, |line| {
                room.printed(line);
            });
            let failed = match printed.await {
                Ok(printed) => match room.commit(Event::Shown { at: now(), printed }).await {
                    Ok(()) => None,
                    Err(Refusal(_, why)) => Some(why.to_owned()),
                },
                Err(why) => Some(why),
            };
            if let Some(why) = failed {
                room.playing.borrow_mut().take();
                room.streams.tell_teacher(&event_of(&json!({ "event": "failed", "why": why })));
                room.tell_poll();
            }
            Ok(())
        });
        played
            .map(drop)
            .map_err(|_| Refusal(StatusCode::SERVICE_UNAVAILABLE, "the server is shutting down"))
    }

    /// Sends everyone a line of the scene that's playing.
    fn printed(&self, line: &str) {
        if let Some(lines) = &mut *self.playing.borrow_mut() {
            lines.push(line.to_owned());
        }
        let told = event_of(&json!({ "event": "line", "text": line }));
        self.streams.tell_students(|_| told.clone());
        self.streams.tell_teacher(&told);
    }

    /// Returns the current poll's scene: its step, its name and its lines.
    pub(crate) fn scene(&self) -> Option<(String, String, Vec<String>)> {
        let state = self.state.borrow();
        let (poll, _) = views::current(&self.material, &state)?;
        let lines = poll.texts().into_iter().map(str::to_owned).collect();
        Some((poll.package.clone(), poll.scene()?.to_owned(), lines))
    }

    pub(crate) fn check_not_playing(&self) -> Result<(), Refusal> {
        match *self.playing.borrow() {
            Some(_) => {
                Err(Refusal(StatusCode::CONFLICT, "a scene is running: wait until it has ended"))
            }
            None => Ok(()),
        }
    }
}

/// Plays a scene on the reference and returns its lines. Fails with a sentence for the teacher if
/// something goes wrong, or if the lines differ from the lines in the book, because such lines
/// can't be compared with the students' answers.
async fn play(
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
        // We compare the joined lines, because a value with several lines becomes several lines in
        // the sheet.
        Ended { code: 0, .. } if printed.join("\n") == expected.join("\n") => Ok(printed),
        Ended { code: 0, .. } => Err("the scene didn't print what the book shows".to_owned()),
        Ended { report, .. } => {
            Err(format!("`cargo run {}` failed: {}", words.join(" "), report.trim()))
        }
    }
}

/// Waits for the next line of the transcript and returns it, or `None` at the end.
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
