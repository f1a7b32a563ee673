//! The server that the tests start: a class with made-up material.

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use class::polls::{Asks, Choice, PollKind};
use class::{Bound, ClassOptions, Exercise, File, Gone, Material, Poll, Question, Session};
use runner::predict::Sheet;
use scene::values::marked;

/// The polls' ids. The first two have scenes; the second's scene prints something unexpected.
pub(crate) const SCENE: &str = "step01_fd/a_scene";
pub(crate) const ODD: &str = "step01_fd/an_odd_scene";
pub(crate) const FOLD: &str = "step01.md/1";

/// Serves the class in the directory that the environment names. `Server` starts this program.
pub(crate) fn serve() {
    let directory = PathBuf::from(std::env::var_os("CLASS_DIRECTORY").expect("a directory"));
    let port = std::env::var("CLASS_PORT").ok().and_then(|port| port.parse().ok()).unwrap_or(0);
    let keep = std::env::var_os("CLASS_KEEP").map(PathBuf::from);
    let file = |path: &str, content: &'static str| File {
        path: path.to_owned(),
        kind: cockpit::web::kind_of(Path::new(path)),
        content: content.into(),
    };
    let class = Bound::bind(ClassOptions {
        root: directory.clone(),
        address: SocketAddr::from(([127, 0, 0, 1], port)),
        hosts: Vec::new(),
        public_origin: None,
        state: directory.join("state/class.jsonl"),
        keep,
        files: vec![file("/", "the student's page"), file("/class/class.js", "a script")],
        material: material(),
    });
    let class = class.expect("a class");
    let mut out = std::io::stdout();
    writeln!(out, "\n{} {}", class.local_addr(), class.teacher_url()).expect("stdout");
    writeln!(out, "{}", class.students_url()).expect("stdout");
    let is_over = class.run().expect("a server");
    writeln!(out, "over: {is_over}").expect("stdout");
}

fn scene(id: &str) -> Poll {
    let said = ["it begins", "it reads: ⟦2424⟧ bytes", "then: ⟦nothing⟧"].map(marked);
    let list = "- 3: EOF | A pipe has an end.";
    let asks = Asks::Lines {
        scene: id.split('/').nth(1).unwrap_or_default().to_owned(),
        sheet: Sheet::new("", &said, false, list).expect("a sheet"),
    };
    poll(id, PollKind::Scene, asks)
}

fn poll(id: &str, kind: PollKind, asks: Asks) -> Poll {
    Poll {
        id: id.to_owned(),
        title: format!("title of {id}"),
        kind,
        package: "step01_fd".to_owned(),
        page: "step01.html".to_owned(),
        question: "<p>What does it print?</p>".to_owned(),
        code: "<pre><code>fn a_scene() {}</code></pre>".to_owned(),
        explanation: "<p>The explanation.</p>".to_owned(),
        asks,
    }
}

fn material() -> Material {
    let choice = |text: &str, overlooks: Option<&str>| Choice {
        text: text.to_owned(),
        overlooks: overlooks.map(str::to_owned),
    };
    let choices = vec![choice("once", None), choice("twice", Some("It's one byte."))];
    let question =
        |sees: &str, asks: &str| Question { sees: vec![sees.to_owned()], asks: asks.to_owned() };
    let exercise = |number: &str, name: &str, questions| Exercise {
        number: number.to_owned(),
        name: name.to_owned(),
        package: "step01_fd".to_owned(),
        minutes: 15,
        questions,
    };
    let questions =
        vec![question("Interrupted", "<p>Who?</p>"), question("WouldBlock", "<p>What?</p>")];
    let polls = vec![scene(SCENE), scene(ODD), poll(FOLD, PollKind::Fold, Asks::One(choices))];
    Material {
        sessions: vec![Session {
            name: "first".to_owned(),
            title: "First session".to_owned(),
            polls: vec![SCENE.to_owned(), FOLD.to_owned()],
        }],
        polls,
        exercises: vec![exercise("1.1", "pipe", Vec::new()), exercise("1.5", "read", questions)],
        gone: vec![Gone {
            number: "1.2".to_owned(),
            told: "1.2 dup is gone; its idea is in 1.5 now".to_owned(),
        }],
    }
}
