//! Checks that the recordings fit their sources, as far as that's possible without playing the
//! scenes. `cargo run -p author -- record --check` plays them.

use std::fs;
use std::path::PathBuf;

use judging::workbook::{Workbook, file_names, read};
use serde_json::Value;

fn recordings() -> Vec<(String, String, Value)> {
    let workbook = workbook();
    let mut found = Vec::new();
    for step in workbook.steps().expect("the steps") {
        let dir = workbook.step(&step).join("tests/recordings");
        for name in file_names(&dir).unwrap_or_default() {
            let text = fs::read_to_string(dir.join(&name)).expect("a recording");
            let recording = serde_json::from_str(&text).expect("JSON");
            found.push((step.clone(), name.trim_end_matches(".json").to_owned(), recording));
        }
    }
    assert!(found.len() >= 20, "{} recordings", found.len());
    found
}

fn workbook() -> Workbook {
    Workbook::of(env!("CARGO_MANIFEST_DIR")).expect("a copy of the workbook")
}

#[test]
fn its_lines_are_those_of_the_scene_as_it_is_now() {
    for (step, name, recording) in recordings() {
        let file = PathBuf::from(recording["source"]["file"].as_str().unwrap());
        let source = read(&workbook().root.join(file)).unwrap();
        let source: Vec<&str> = source.lines().collect();
        let parts = recording["source"]["parts"].as_array().unwrap();
        let mut shown = Vec::new();
        for part in parts {
            let first = usize::try_from(part["first_line"].as_u64().unwrap()).unwrap();
            for (index, line) in part["lines"].as_array().unwrap().iter().enumerate() {
                let again = "record it again";
                assert_eq!(line, source[first + index - 1], "{step} {name}: {again}");
                shown.push(first + index);
            }
        }
        for moment in recording["moments"].as_array().unwrap() {
            let callers = moment["callers"].as_array().into_iter().flatten();
            for line in callers.chain(moment.get("line")) {
                let line = usize::try_from(line.as_u64().unwrap()).unwrap();
                assert!(shown.contains(&line), "{step} {name}: line {line} isn't shown");
            }
        }
    }
}

#[test]
fn its_twin_is_the_program_as_it_is_now() {
    let mut twins = 0;
    for (step, name, recording) in recordings() {
        let file = workbook().step(&step).join(format!("tests/python/twins/{name}.py"));
        let shown = recording["twin"].as_array();
        assert_eq!(shown.is_some(), file.exists(), "{step} {name}: record it again");
        let Some(shown) = shown else { continue };
        let shown: Vec<&str> = shown.iter().filter_map(Value::as_str).collect();
        let program = read(&file).unwrap();
        assert!(program.trim_end().ends_with(&shown.join("\n")), "{step} {name}: record it again");
        twins += 1;
    }
    assert!(twins >= 10, "{twins} twins");
}

#[test]
fn nothing_in_a_recording_differs_from_run_to_run() {
    for (step, name, recording) in recordings() {
        for moment in recording["moments"].as_array().unwrap() {
            let text = moment.to_string();
            for number in ["fd ", "0x", "⟨", "127.0.0.1:"] {
                assert!(!text.contains(number), "{step} {name}: {text}");
            }
            let what = moment["what"].as_str().unwrap();
            assert!(
                what.chars().count() <= 100 || moment["kind"] == "say",
                "{step} {name}: {what}"
            );
        }
    }
}
