//! Names in a class: no student can take another student's name, and the teacher controls the door.

use serde_json::json;

use crate::support::{SCENE, Server};

#[test]
fn names_are_clean_and_no_two_are_alike() {
    let server = Server::start();
    assert_eq!(server.try_to_join(&server.code, "  Ann   Lee ").json()["name"], "Ann Lee");
    for name in ["ann lee", "ANN-LEE", "Аnn Lее", "Ann  Lee."] {
        assert_eq!(server.try_to_join(&server.code, name).status, 409, "{name}");
    }
    for name in ["", "<img src=x onerror=alert(1)>", "a\nb", "a\u{202e}b", &"x".repeat(41)] {
        assert_eq!(server.try_to_join(&server.code, name).status, 400, "{name}");
    }
}

#[test]
fn a_class_that_is_full_or_shut_lets_nobody_in() {
    let server = Server::start();
    std::thread::scope(|scope| {
        for part in 0..10 {
            let server = &server;
            scope.spawn(move || {
                (0..30).for_each(|number| drop(server.join(&format!("S {part} x {number}"))));
            });
        }
    });
    let full = server.try_to_join(&server.code, "One more");
    assert!(full.status == 409 && full.body.contains("full"), "{full:?}");
    assert_eq!(server.teach("remove", &json!({ "names": ["S 3 x 7"] })).status, 200);
    assert_eq!(server.teach("door", &json!({ "open": false })).status, 200);
    assert_eq!(server.try_to_join(&server.code, "One more").status, 409);
    assert_eq!(server.teach("door", &json!({ "open": true })).status, 200);
    assert_eq!(server.try_to_join(&server.code, "One more").status, 200);
}

#[test]
fn nothing_that_a_student_writes_turns_the_text_around_it() {
    let server = Server::start();
    let (ann, bob) = (server.join("Ann"), server.join("Bob"));
    let teacher = server.listen(&server.teacher);
    server.teach("open", &json!({ "id": SCENE }));
    let odd = "a\u{202e}b\u{2066}c\u{200b}d\u{1b}e\u{2028}f\u{e0041}";
    assert_eq!(server.answer(&ann, SCENE, &["", odd, ""]).status, 400, "it isn't offered");
    let report = json!({
        "package": "step01_fd", "exercise": "1.5", "outcome": "red", "line": odd, "green": [],
    });
    for student in [&ann, &bob] {
        assert_eq!(server.post(student, "report", &report).status, 200);
    }
    server.teach("close", &json!({}));
    for event in teacher {
        let text = event.to_string();
        assert!(!odd.chars().any(|char| !char.is_ascii() && text.contains(char)), "{text}");
        if text.contains("\"line\":\"abcdef\"") {
            break;
        }
    }
    assert!(!server.teach("report", &json!({})).body.contains('\u{202e}'));
}

#[test]
fn a_pass_is_not_used_up_by_a_name_that_was_mistyped() {
    let server = Server::start();
    let ann = server.join("Ann");
    server.join("Bob");
    let pass = server.post(&ann, "pass", &json!({})).json()["pass"].clone();
    let pass = pass.as_str().unwrap();
    assert_eq!(server.try_to_join(pass, "Amm").status, 403);
    assert_eq!(server.try_to_join(pass, "Bob").status, 403);
    assert_eq!(server.try_to_join(pass, "ann").json()["token"], ann.as_str());
    assert_eq!(server.try_to_join(pass, "Ann").status, 403, "once");
}

#[test]
fn the_teacher_takes_many_names_off_at_once() {
    let server = Server::start();
    let names: Vec<String> = (0..50).map(|number| format!("Nobody {number}")).collect();
    let ann = server.join("Ann");
    for name in &names {
        server.join(name);
    }
    assert_eq!(server.teach("remove", &json!({ "names": names })).status, 200);
    let class = server.listen(&server.teacher).find(|it| it["event"] == "class").unwrap();
    assert_eq!(class["students"].as_array().unwrap().len(), 1);
    assert!(!std::fs::read_to_string(server.state()).unwrap().contains("Nobody"));
    assert_eq!(server.teach("remove", &json!({ "names": ["Ann", "Bob"] })).status, 400);
    assert_eq!(server.post(&ann, "hello", &json!({})).status, 401);
}
