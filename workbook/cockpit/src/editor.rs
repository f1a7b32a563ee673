//! Opens the reader's editor at an exercise, through a link on the page or with a command.

use std::env;
use std::process::Command;
use std::rc::Rc;

use hyper::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use crate::CockpitOptions;
use crate::asks::is_part;
use crate::program::Programs;
use crate::replies::Refusal;

/// An exercise to open.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExerciseToOpen {
    package: String,
    exercise: String,
}

/// Returns the link that opens the editor, with `{path}` and `{line}`, or `None` if a command opens
/// the editor.
pub(crate) fn link(options: &CockpitOptions) -> Option<String> {
    match &options.editor {
        Some(editor) if editor.contains("://") => Some(editor.clone()),
        Some(_) => None,
        // Under WSL, the editor runs on Windows and needs the distribution's name to find the file.
        None => Some(match env::var("WSL_DISTRO_NAME") {
            Ok(name) => format!("vscode://vscode-remote/wsl+{name}{{path}}:{{line}}"),
            Err(_) => "vscode://file{path}:{line}".to_owned(),
        }),
    }
}

/// Returns the command that opens the editor, or `None` if a link opens the editor.
pub(crate) fn command(options: &CockpitOptions) -> Option<&str> {
    options.editor.as_deref().filter(|editor| !editor.contains("://"))
}

/// Runs the command for an exercise. A page sends only the exercise's package and number, and the
/// runner finds the file and the line.
pub(crate) async fn open(
    programs: &Rc<Programs>,
    options: &CockpitOptions,
    ExerciseToOpen { package, exercise }: &ExerciseToOpen,
) -> Result<(), Refusal> {
    let unknown = Refusal(StatusCode::BAD_REQUEST, "there's no such exercise");
    let failed = Refusal(
        StatusCode::SERVICE_UNAVAILABLE,
        "the editor's command can't be run or has failed: check --editor",
    );
    let template = command(options)
        .ok_or(Refusal(StatusCode::NOT_FOUND, "no command opens the editor; a link does"))?;
    if !is_part(&options.root, package) {
        return Err(unknown);
    }
    let listing = ["--", "list", "--json"].map(str::to_owned);
    let mut program = programs.cargo_run(&listing).map_err(|_| failed)?;
    let line = program.line().await.ok().flatten().ok_or(failed)?;
    let list: Value = serde_json::from_str(&line).map_err(|_| failed)?;
    let named = |items: &Value, key: &str, name: &str| {
        let found = items.as_array().and_then(|items| items.iter().find(|it| it[key] == *name));
        found.cloned().unwrap_or_default()
    };
    let part = named(&list["parts"], "package", package);
    let found = named(&part["exercises"], "number", exercise);
    let (Some(file), Some(line)) = (found["file"].as_str(), found["line"].as_u64()) else {
        return Err(unknown);
    };
    let path = options.root.join(file).display().to_string();
    // The command runs without a shell, so a path can contain any characters.
    let mut words = template.split_whitespace();
    let mut command = Command::new(words.next().ok_or(failed)?);
    command
        .args(words.map(|word| word.replace("{path}", &path).replace("{line}", &line.to_string())));
    let ended = programs.start(&mut command).map_err(|_| failed)?.ended().await;
    ended.ok().filter(|ended| ended.code == 0).map(drop).ok_or(failed)
}
