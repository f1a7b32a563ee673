//! Each rule that keeps a student, or anyone else on the network, from using the teacher's powers,
//! from learning other students' answers, and from keeping the class busy.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{FOLD, ODD, RIGHT, SCENE, Server, WRONG, answered};

#[test]
fn a_name_that_was_made_to_lead_here_gets_nothing() {
    let server = Server::start();
    let address = server.address;
    let with = |hosts: &str| {
        server.send(&format!("GET / HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n")).status
    };
    assert_eq!(with(&format!("Host: {address}\r\n")), 200);
    assert_eq!(with(&format!("Host: localhost:{}\r\n", address.port())), 200);
    for host in ["evil.example", "127.0.0.1.evil.example", "127.0.0.1:1", "localhost"] {
        assert_eq!(with(&format!("Host: {host}\r\n")), 421, "{host}");
    }
    assert_eq!(with(&format!("Host: {address}\r\nHost: evil.example\r\n")), 421);
    assert_eq!(with(""), 421);
}

#[test]
fn what_does_something_needs_an_origin_of_ours_and_a_token_of_this_class() {
    let server = Server::start();
    let ann = server.join("Ann");
    let own = server.own_fields(&ann);
    let server = &server;
    let paths = [
        "hello",
        "ticket",
        "pass",
        "answer",
        "help",
        "report",
        "leave",
        "teach/hello",
        "teach/end",
    ];
    let with = |fields: &str| {
        // At the same time, because a refusal is answered after a while.
        let answers: Vec<u16> = std::thread::scope(|scope| {
            let send = |path| {
                let request = server.post_with(&format!("/class/{path}"), fields, "{}");
                scope.spawn(|| server.send(&{ request }).status)
            };
            let threads = paths.map(send);
            threads.into_iter().map(|it| it.join().unwrap()).collect()
        });
        assert!(answers.iter().all(|it| it == &answers[0]), "{fields}: {answers:?}");
        answers[0]
    };
    let token = format!("Class-Token: {ann}\r\n");
    let origin = format!("Origin: http://{}\r\n", server.address);
    assert_eq!(with(""), 403);
    assert_eq!(with(&token), 403);
    assert_eq!(with(&origin), 401);
    assert_eq!(with(&own.replace(&ann, "another")), 401);
    assert_eq!(with(&format!("{token}Origin: http://evil.example\r\n")), 403);
    assert_eq!(with(&format!("{token}Origin: null\r\n")), 403);
    assert_eq!(with(&own.replace("same-origin", "cross-site")), 403);
    let join = json!({ "code": server.code, "name": "Bob" }).to_string();
    assert_eq!(server.send(&server.post_with("/class/join", "", &join)).status, 403);
}

#[test]
fn a_student_can_do_nothing_of_the_teacher_s() {
    let server = Server::start();
    let ann = server.join("Ann");
    for path in [
        "hello", "ticket", "open", "close", "play", "reveal", "done", "remove", "door", "end",
        "report",
    ] {
        let answer =
            server.post(&ann, &format!("teach/{path}"), &json!({ "id": SCENE, "open": true }));
        assert_eq!(answer.status, 404, "{path}");
    }
    assert!(server.state().exists() && server.started().is_empty());
}

#[test]
fn a_get_changes_nothing_and_a_preflight_allows_nothing() {
    let server = Server::start();
    let own = server.own_fields(&server.teacher);
    for path in ["teach/end", "teach/hello", "join", "events", "events?ticket=", "events?ticket=a"]
    {
        let answer = server.send(&server.get(&format!("/class/{path}"), &own));
        assert!([403, 404].contains(&answer.status), "{path}: {answer:?}");
    }
    let preflight = server.get("/class/join", "Origin: http://evil.example\r\n");
    let answer = server.send(&preflight.replacen("GET", "OPTIONS", 1));
    assert_eq!(answer.status, 405);
    assert!(!answer.head.contains("access-control"), "{answer:?}");
}

#[test]
fn only_the_pages_files_are_sent_and_they_run_no_script_from_elsewhere() {
    let server = Server::start();
    let get = |path: &str| server.send(&server.get(path, ""));
    let page = get("/");
    assert_eq!((page.status, page.body.as_str()), (200, "the student's page"));
    assert!(page.head.contains("content-security-policy: default-src 'none'; script-src 'self';"));
    assert!(!page.head.contains("set-cookie"));
    for path in [
        "/state/class.jsonl",
        "/../cargo",
        "/class/../cargo",
        "//cargo",
        "/index.html",
        "/%2e%2e/cargo",
    ] {
        assert_eq!(get(path).status, 404, "{path}");
    }
}

#[test]
fn a_student_has_only_some_streams_and_one_that_ends_makes_room() {
    let server = Server::start();
    let (ann, bob) = (server.join("Ann"), server.join("Bob"));
    let open = |token: &str| {
        let ticket = server.post(token, "ticket", &json!({})).json()["ticket"].clone();
        let ticket = ticket.as_str().unwrap().to_owned();
        let mut stream = server.connect(&server.get(&format!("/class/events?ticket={ticket}"), ""));
        let mut begins = [0; 12];
        stream.read_exact(&mut begins).unwrap();
        (stream, String::from_utf8_lossy(&begins).ends_with("200"))
    };
    let mut streams: Vec<_> = (0..6).map(|_| open(&ann)).collect();
    assert!(streams.iter().all(|(_, is_open)| *is_open));
    assert!(!open(&ann).1);
    assert!(open(&bob).1);
    drop(streams.pop());
    crate::support::wait_until(|| open(&ann).1);
}

#[test]
fn wrong_codes_are_limited_and_a_right_one_still_lets_in() {
    let server = Server::start();
    let ann = server.join("Ann");
    let codes: Vec<u16> = std::thread::scope(|scope| {
        let guesses: Vec<_> = (0..8)
            .map(|_| {
                let guess =
                    || (0..15).map(|_| server.try_to_join("bbbb-bbbb", "Bob").status).collect();
                scope.spawn(guess)
            })
            .collect();
        guesses
            .into_iter()
            .flat_map(|it: std::thread::ScopedJoinHandle<'_, Vec<u16>>| it.join().unwrap())
            .collect()
    });
    assert!(codes.iter().all(|code| [403, 429].contains(code)), "{codes:?}");
    assert!(codes.iter().filter(|code| **code == 429).count() >= 20, "{codes:?}");
    assert_eq!(server.post(&ann, "hello", &json!({})).status, 200);
    let shouted = server.code.to_uppercase().replace('-', " ");
    assert_eq!(server.try_to_join(&shouted, "Bob").status, 200);
}

#[test]
fn a_student_who_asks_for_too_much_has_to_wait_and_nobody_else_has() {
    let server = Server::start();
    let (ann, bob) = (server.join("Ann"), server.join("Bob"));
    let flood = |count: usize| -> Vec<u16> {
        (0..count).map(|_| server.post(&ann, "help", &json!({ "wanted": true })).status).collect()
    };
    let codes = flood(35);
    assert!(codes.contains(&429), "{codes:?}");
    assert_eq!(server.post(&bob, "help", &json!({ "wanted": true })).status, 200);
    assert_eq!(server.teach("hello", &json!({})).status, 200);
}

#[test]
fn strangers_get_their_pages_at_a_steady_pace() {
    let server = Server::start();
    let begin = Instant::now();
    let head = format!("GET / HTTP/1.1\r\nHost: {}\r\n", server.address);
    // 3,000 requests are answered at once, and the other 400 at 200 per second.
    let requests = format!("{head}\r\n").repeat(849) + &format!("{head}Connection: close\r\n\r\n");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut stream = server.connect("");
                let mut reading = stream.try_clone().unwrap();
                scope.spawn(move || reading.read_to_end(&mut Vec::new()).unwrap());
                stream.write_all(requests.as_bytes()).unwrap();
            });
        }
    });
    assert!(begin.elapsed() > Duration::from_millis(1500), "{:?}", begin.elapsed());
}

#[test]
fn a_body_that_is_too_large_is_refused_and_half_a_request_is_not_waited_for_long() {
    let server = Server::start();
    let ann = server.join("Ann");
    let huge = json!({ "poll": SCENE, "typed": ["x".repeat(40_000)] });
    assert_eq!(server.post(&ann, "answer", &huge).status, 413);
    let begin = Instant::now();
    let half_a_body = server
        .post_with("/class/hello", &server.own_fields(&ann), "{}")
        .replace("Content-Length: 2", "Content-Length: 20");
    let mut halves = [server.connect(&half_a_body), server.connect("GET / HTTP/1.1\r\nHost: ")];
    let mut text = String::new();
    halves[0].read_to_string(&mut text).unwrap();
    assert_eq!(answered(&text).status, 408);
    // The answer to half a head is the end of the connection.
    let _ = halves[1].read_to_string(&mut text);
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

#[test]
fn an_answer_has_the_poll_s_form_and_is_given_once() {
    let server = Server::start();
    let (ann, bob) = (server.join("Ann"), server.join("Bob"));
    assert_eq!(server.answer(&ann, SCENE, &RIGHT).status, 409, "it isn't open yet");
    server.teach("open", &json!({ "id": SCENE }));
    let long = "1".repeat(201);
    let not_offered = ["", "24", "something else"];
    for typed in [&[][..], &["", "24"], &["", "24", "", ""], &["", &long, ""], &not_offered] {
        assert_eq!(server.answer(&ann, SCENE, typed).status, 400, "{typed:?}");
    }
    assert_eq!(server.answer(&ann, "step01_fd/none", &RIGHT).status, 400);
    assert_eq!(server.answer(&ann, FOLD, &["once"]).status, 409, "another one is open");
    assert_eq!(server.answer(&ann, SCENE, &RIGHT).status, 200);
    assert_eq!(server.answer(&ann, SCENE, &WRONG).status, 409);
    server.teach("close", &json!({}));
    assert_eq!(server.answer(&bob, SCENE, &RIGHT).status, 409);
    server.teach("open", &json!({ "id": FOLD }));
    assert_eq!(server.answer(&bob, FOLD, &["thrice"]).status, 400);
    assert_eq!(server.answer(&bob, FOLD, &["twice"]).status, 200);
}

#[test]
fn nobody_sees_an_answer_of_another_or_the_right_one_before_it_is_shown() {
    let server = Server::start();
    let (ann, bob) = (server.join("Ann"), server.join("Bob"));
    let bobs = server.listen(&bob);
    let mut teachers = server.listen(&server.teacher);
    server.teach("open", &json!({ "id": SCENE }));
    server.answer(&ann, SCENE, &["", "765432", "nothing"]);
    server.answer(&bob, SCENE, &WRONG);
    server.teach("close", &json!({}));
    let is_closed = |event: &serde_json::Value| event["poll"]["phase"] == "closed";
    let mut told = String::new();
    let mut bobs = bobs.inspect(|event| told += &event.to_string());
    bobs.find(is_closed).unwrap();
    server.teach("play", &json!({}));
    let lines: Vec<_> = bobs.by_ref().filter(|it| it["event"] == "line").take(3).collect();
    assert_eq!(lines[1]["text"], "it reads: 2424 bytes");
    let result = bobs.find(|event| event["event"] == "result").unwrap();
    assert_eq!(result["right"], json!([null, true, false]));
    assert_eq!(result["overlooks"], json!([null, null, "A pipe has an end."]));
    drop(bobs);
    let (before, _) = told.split_once("\"line\"").unwrap();
    assert!(!before.contains("The explanation"), "{before}");
    assert!(!before.replace(r#""2424""#, "").contains("2424"), "{before}");
    assert!(!told.contains("Ann") && !told.contains("765432"), "{told}");
    let bars = teachers.find(|event| event["event"] == "result").unwrap();
    assert!(bars["shown"] == false && bars["explanation"].is_null(), "{bars}");
    for line in bars["lines"].as_array().unwrap() {
        assert!(line["text"].is_null() && line["right"].is_null(), "{line}");
        let answers = line["answers"].as_array().unwrap();
        assert!(
            answers.iter().all(|it| it["right"].is_null() && it["overlooks"].is_null()),
            "{line}"
        );
    }
}

#[test]
fn nothing_is_started_but_the_scene_that_the_teacher_plays() {
    let server = Server::start();
    let ann = server.join("Ann");
    for poll in ["--yes", "../cargo", "step01_fd/other", "step01_fd"] {
        assert_eq!(server.teach("open", &json!({ "id": poll })).status, 400, "{poll}");
    }
    server.teach("open", &json!({ "id": SCENE }));
    assert_eq!(server.teach("play", &json!({})).status, 409, "it's open");
    server.answer(&ann, SCENE, &RIGHT);
    server.teach("close", &json!({}));
    assert_eq!(server.started(), Vec::<String>::new());
    assert_eq!(server.teach("play", &json!({})).status, 200);
    assert_eq!(server.teach("play", &json!({})).status, 409, "one at a time");
    assert_eq!(server.teach("done", &json!({})).status, 409, "it's being played");
    crate::support::wait_until(|| server.teach("done", &json!({})).status == 200);
    let played = "run --quiet -p step01_fd -- play a_scene --json --reference";
    assert_eq!(server.started(), [played]);
}

#[test]
fn a_scene_that_prints_something_else_judges_nobody() {
    let server = Server::start();
    let teacher = server.listen(&server.teacher);
    server.teach("open", &json!({ "id": ODD }));
    server.teach("close", &json!({}));
    server.teach("play", &json!({}));
    let mut events = teacher.skip_while(|event| event["event"] != "failed");
    assert!(events.next().unwrap()["why"].as_str().unwrap().contains("what the book shows"));
    assert_eq!(events.find(|it| it["event"] == "poll").unwrap()["poll"]["phase"], "closed");
}

#[test]
fn a_report_is_about_exercises_that_there_are() {
    let server = Server::start();
    let (ann, bob) = (server.join("Ann"), server.join("Bob"));
    let report = |exercise: &str, line: &str| {
        json!({
            "package": "step01_fd",
            "exercise": exercise,
            "outcome": "red",
            "line": line,
            "green": ["1.1"],
        })
    };
    assert_eq!(server.post(&ann, "report", &report("1.5", "Interrupted")).json()["help"], false);
    assert_eq!(server.post(&bob, "report", &report("1.5", "Interrupted")).status, 200);
    assert_eq!(server.post(&ann, "report", &report("9.9", "")).status, 400);
    assert_eq!(server.post(&ann, "report", &report("1.5", &"x".repeat(301))).status, 400);
    let mut old = report("1.5", "");
    old["green"] = json!(["1.1", "1.2"]);
    for old in [report("1.2", ""), old] {
        let answer = server.post(&ann, "report", &old);
        let why = "your workbook's version differs from the class's: 1.2 dup is gone; its idea is in 1.5 now";
        assert_eq!((answer.status, answer.body.trim()), (400, why));
    }
    let mut more = report("1.5", "");
    more["files"] = json!(["/etc/passwd"]);
    assert_eq!(server.post(&ann, "report", &more).status, 400);
    let class = server.listen(&server.teacher).find(|it| it["event"] == "class").unwrap();
    let group = &class["groups"][0];
    assert_eq!(group["names"], json!(["Ann", "Bob"]));
    assert_eq!(group["question"], "<p>Who?</p>");
}

#[test]
fn a_connection_that_sends_nonsense_harms_nobody_else() {
    let server = Server::start();
    let ann = server.join("Ann");
    for nonsense in ["\0\0\0\0", "GET", "POST /class/hello HTTP/9.9\r\n\r\n", &"x".repeat(100_000)]
    {
        let mut stream = TcpStream::connect(server.address).unwrap();
        // The server may close the connection before it has all of the nonsense.
        let _ = stream.write_all(nonsense.as_bytes());
    }
    assert_eq!(server.post(&ann, "hello", &json!({})).status, 200);
}

#[test]
fn a_token_is_there_once() {
    let server = Server::start();
    let ann = server.join("Ann");
    let twice = format!("{}Class-Token: {ann}\r\n", server.own_fields(&ann));
    let join = json!({ "code": server.code, "name": "Bob" }).to_string();
    assert_eq!(server.send(&server.post_with("/class/hello", &twice, "{}")).status, 401);
    assert_eq!(server.send(&server.post_with("/class/join", &twice, &join)).status, 401);
}
