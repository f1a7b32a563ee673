//! Each rule that keeps other pages and other programs from using the cockpit.

use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::support::{Server, TOKEN, status, wait_until, wait_until_within};

const LIST: &str = r#"{"act":"list"}"#;
const PLAY: &str = r#"{"act":"play","package":"step01_fd","name":"a_scene","whose":"reference"}"#;
const WATCH: &str = r#"{"stream":"watch","package":"step01_fd"}"#;

#[test]
fn it_listens_on_the_loopback_address_and_on_no_other() {
    let server = Server::start();
    let other = SocketAddr::from(([127, 0, 0, 2], server.address.port()));
    assert!(TcpStream::connect(other).is_err());
}

#[test]
fn a_name_that_was_made_to_lead_here_gets_nothing() {
    let server = Server::start();
    let (port, address) = (server.address.port(), server.address);
    let with = |hosts: &str| {
        status(&server.send(&format!("GET / HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n")))
    };
    assert_eq!(with(&format!("Host: {address}\r\n")), 200);
    assert_eq!(with(&format!("Host: LocalHost:{port}\r\n")), 200);
    assert_eq!(with(&format!("Host: evil.example:{port}\r\n")), 421);
    assert_eq!(with(&format!("Host: 127.0.0.1.evil.example:{port}\r\n")), 421);
    assert_eq!(with("Host: 127.0.0.1:1\r\n"), 421);
    assert_eq!(with("Host: localhost\r\n"), 421);
    assert_eq!(with(&format!("Host: {address}\r\nHost: evil.example\r\n")), 421);
    assert_eq!(with(""), 421);
    let absolute = format!(
        "GET http://evil.example/ HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(status(&server.send(&absolute)), 421);
    let rebound = server
        .post("/cockpit/ask", LIST)
        .replace(&format!("Host: {address}"), "Host: evil.example");
    assert_eq!(status(&server.send(&rebound)), 421);
    assert_eq!(server.started(), Vec::<String>::new());
}

#[test]
fn what_does_something_needs_the_token_and_an_origin_that_is_ours() {
    let server = Server::start();
    let address = server.address;
    let own = server.own_fields();
    let with = |fields: &str| {
        let paths = [
            "/cockpit/ask",
            "/cockpit/ticket",
            "/cockpit/source",
            "/cockpit/block",
            "/cockpit/idle",
            "/cockpit/hello",
        ];
        let answers = paths.map(|path| status(&server.send(&server.post_with(path, fields, LIST))));
        assert!(answers.iter().all(|it| it == &answers[0]), "{fields}: {answers:?}");
        answers[0]
    };
    let token = format!("Workbook-Token: {TOKEN}\r\n");
    let origin = format!("Origin: http://{address}\r\n");
    assert_eq!(with(""), 403);
    assert_eq!(with(&token), 403);
    assert_eq!(with(&origin), 401);
    assert_eq!(with(&own.replace(TOKEN, "another")), 401);
    assert_eq!(with(&format!("{own}{token}")), 401);
    assert_eq!(with(&format!("{token}Origin: http://evil.example\r\n")), 403);
    assert_eq!(with(&format!("{token}Origin: http://127.0.0.1:1\r\n")), 403);
    assert_eq!(with(&format!("{token}Origin: null\r\n")), 403);
    assert_eq!(with(&format!("{token}{origin}Origin: http://evil.example\r\n")), 403);
    assert_eq!(with(&own.replace("same-origin", "cross-site")), 403);
    // Another port on this machine counts as the same site.
    assert_eq!(with(&own.replace("same-origin", "same-site")), 403);
    assert_eq!(server.started(), Vec::<String>::new());
    // Older browsers don't send Sec-Fetch-Site.
    let old = server.post_with("/cockpit/ask", &format!("{origin}{token}"), LIST);
    assert_eq!(status(&server.send(&old)), 200);
    assert_eq!(server.started(), ["run --quiet -- list --json"]);
}

#[test]
fn a_get_starts_nothing() {
    let server = Server::start();
    for path in [
        "ask",
        "ticket",
        "source",
        "block",
        "idle",
        "open",
        "hello",
        "events",
        "events?ticket=",
        "events?ticket=a",
    ] {
        let request = server.get(&format!("/cockpit/{path}"), &server.own_fields());
        let status = status(&server.send(&request));
        assert!([403, 404].contains(&status), "{path}: {status}");
    }
    assert_eq!(server.started(), Vec::<String>::new());
}

#[test]
fn a_preflight_is_not_allowed_anything() {
    let server = Server::start();
    let request =
        server.get("/cockpit/ask", "Origin: http://evil.example\r\n").replacen("GET", "OPTIONS", 1);
    let answer = server.send(&request).to_lowercase();
    assert_eq!(status(&answer), 405);
    assert!(!answer.contains("access-control"), "{answer}");
}

#[test]
fn a_ticket_opens_one_stream_once() {
    let server = Server::start();
    let answer = server.send(&server.post("/cockpit/ticket", WATCH));
    let ticket = answer.split('"').nth(3).unwrap();
    assert_eq!(server.started(), Vec::<String>::new());
    let open = server.get(&format!("/cockpit/events?ticket={ticket}"), "");
    let stream = BufReader::new(server.connect(&open));
    let mut lines = stream.lines().map(Result::unwrap);
    assert_eq!(status(&lines.next().unwrap()), 200);
    assert!(lines.any(|line| line == r#"data: {"event":"begin"}"#));
    assert_eq!(server.started(), ["run --quiet -p step01_fd -- watch --json"]);
    assert_eq!(status(&server.send(&open)), 403);
    let made_up = server.get("/cockpit/events?ticket=0123456789", "");
    assert_eq!(status(&server.send(&made_up)), 403);
}

#[test]
fn pages_share_a_watch_and_the_later_one_hears_how_it_began() {
    let server = Server::start();
    let listen = || {
        let answer = server.send(&server.post("/cockpit/ticket", WATCH));
        let ticket = answer.split('"').nth(3).unwrap();
        let open = server.get(&format!("/cockpit/events?ticket={ticket}"), "");
        let mut lines = BufReader::new(server.connect(&open)).lines().map(Result::unwrap);
        assert!(lines.any(|line| line == r#"data: {"event":"begin"}"#));
        lines
    };
    let _both = (listen(), listen());
    assert_eq!(server.started().len(), 1);
}

#[test]
fn only_names_become_arguments() {
    let server = Server::start();
    let ask = |body: &str| status(&server.send(&server.post("/cockpit/ask", body)));
    let play = |package: &str, name: &str| {
        ask(&format!(r#"{{"act":"hint","package":"{package}","name":"{name}"}}"#))
    };
    for name in ["", "--yes", "-p", "../secret", "a b", "a/b", "a;b", "$(a)", ".", "1..1", "a\\n"] {
        assert_eq!(play("step01_fd", name), 400, "{name}");
        assert_eq!(play(name, "pipe"), 400, "{name}");
    }
    assert_eq!(play("step99_none", "pipe"), 400);
    assert_eq!(play("pages", "pipe"), 400);
    assert_eq!(ask(r#"{"act":"run","command":"sh"}"#), 400);
    assert_eq!(ask(r#"{"act":"list","path":"/"}"#), 400);
    assert_eq!(ask("nothing"), 400);
    assert_eq!(server.started(), Vec::<String>::new());
    let watch = r#"{"stream":"watch","package":"../step01_fd"}"#;
    assert_eq!(status(&server.send(&server.post("/cockpit/ticket", watch))), 400);
    assert_eq!(play("step01_fd", "1.1"), 200);
    assert_eq!(server.started(), ["run --quiet -p step01_fd -- hint 1.1 --json"]);
}

#[test]
fn a_class_is_joined_by_words_and_not_by_options() {
    let server = Server::start();
    let join = |address: &str, code: &str, name: &str| {
        let body =
            format!(r#"{{"act":"join","address":"{address}","code":"{code}","name":"{name}"}}"#);
        status(&server.send(&server.post("/cockpit/ask", &body)))
    };
    for odd in ["", "--yes", "-p", "$(a)", "a;b", "a/b", " a", "a\\nb"] {
        assert_eq!(join(odd, "abcd-efgh", "Ada"), 400, "{odd}");
        assert_eq!(join("10.0.0.5:7008", odd, "Ada"), 400, "{odd}");
        assert_eq!(join("10.0.0.5:7008", "abcd-efgh", odd), 400, "{odd}");
    }
    assert_eq!(server.started(), Vec::<String>::new());
    assert_eq!(join("[fe80::1]:7008", "abcd-efgh", "Ada O'Neill"), 200);
    assert_eq!(
        server.started(),
        ["run --quiet -- join [fe80::1]:7008 abcd-efgh Ada O'Neill --json"]
    );
    assert_eq!(join("10.0.0.5:7008", "abcd-efgh", "प्रिया"), 200);
    assert!(server.started()[1].contains(" प्रिया "), "{:?}", server.started());
}

#[test]
fn what_is_typed_is_read_by_the_command_and_never_an_argument() {
    let server = Server::start();
    let predict = |typed: &str| {
        let body = r#"{"act":"predict","package":"step01_fd","name":"pipes","typed":[TYPED]}"#;
        server.send(&server.post("/cockpit/ask", &body.replace("TYPED", typed)))
    };
    let answer = predict(r#""--yes","a 1"," $(b)""#);
    assert!(answer.contains(r#"["--yes","a 1"," $(b)"]"#), "{answer}");
    assert_eq!(server.started(), ["run --quiet -p step01_fd -- predict pipes --json"]);
    assert_eq!(status(&predict(r#""two\nlines""#)), 400);
    assert_eq!(status(&predict("1")), 400);
}

#[test]
fn a_run_is_recorded_like_a_play_one_at_a_time() {
    let server = Server::start();
    let _playing = server.connect(&server.post("/cockpit/ask", PLAY));
    server.playing();
    let record = PLAY.replace(r#""play""#, r#""record""#);
    assert_eq!(status(&server.send(&server.post("/cockpit/ask", &record))), 409);
    let other = Server::start();
    assert_eq!(status(&other.send(&other.post("/cockpit/ask", &record))), 200);
    let started = "run --quiet -p author -- record step01_fd a_scene --reference --json";
    assert_eq!(other.started(), [started]);
}

#[test]
fn a_command_that_fails_says_how() {
    let server = Server::start();
    let hint = r#"{"act":"hint","package":"step01_fd","name":"1.1"}"#;
    let answer = server.send(&server.post("/cockpit/ask", hint));
    assert!(answer.contains(r#""code":3"#) && answer.contains("it has gone wrong"), "{answer}");
}

#[test]
fn a_body_that_is_too_large_is_refused() {
    let server = Server::start();
    let request = server.post("/cockpit/ask", &" ".repeat(20_000));
    assert_eq!(status(&server.send(&request)), 413);
}

#[test]
fn who_does_not_read_is_not_waited_for() {
    let server = Server::start();
    // More bytes than the kernel buffers for a connection.
    let large = vec![b'x'; 24 << 20];
    std::fs::write(server.root.path().join("pages/large.html"), large).unwrap();
    let open = || std::fs::read_dir(format!("/proc/{}/fd", server.child.id())).unwrap().count();
    let before = open();
    let connections: Vec<_> =
        (0..12).map(|_| server.connect(&server.get("/large.html", ""))).collect();
    wait_until(|| open() == before + connections.len());
    // Some clients never read, and some read a few bytes now and then.
    let (_silent, dripping) = connections.split_at(6);
    wait_until_within(Duration::from_secs(90), || {
        for mut connection in dripping {
            let _ = connection.read(&mut [0; 7]);
        }
        open() == before
    });
}

#[test]
fn a_field_that_decides_is_there_once() {
    let server = Server::start();
    let own = server.own_fields();
    let list = |fields: &str| status(&server.send(&server.post_with("/cockpit/ask", fields, LIST)));
    for second in ["cross-site", "same-origin", "none", "same-site"] {
        assert_eq!(list(&format!("{own}Sec-Fetch-Site: {second}\r\n")), 403, "{second}");
    }
    assert_eq!(server.started(), Vec::<String>::new());
    assert_eq!(list(&own), 200);
}

#[test]
fn a_body_that_cannot_be_read_is_not_called_too_large() {
    let server = Server::start();
    let (address, own) = (server.address, server.own_fields());
    let head =
        format!("POST /cockpit/hello HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{own}");
    let post = |body: &str| {
        status(&server.send(&format!("{head}Transfer-Encoding: chunked\r\n\r\n{body}")))
    };
    assert_eq!(post("2\r\n{}\r\n0\r\n\r\n"), 200);
    for broken in
        ["x\r\n{}\r\n0\r\n\r\n", "2\r\n{}xx0\r\n\r\n", "-1\r\n\r\n", "fffffffffffffffff\r\n"]
    {
        assert_eq!(post(broken), 400, "{broken:?}");
    }
    assert_eq!(post(&format!("5000\r\n{}\r\n0\r\n\r\n", " ".repeat(0x5000))), 413);
    // The server doesn't wait for bytes that never arrive, either.
    assert_eq!(status(&server.send(&format!("{head}Content-Length: 2\r\n\r\n{{"))), 408);
}

#[test]
fn only_the_books_own_files_are_sent() {
    let server = Server::start();
    let get = |path: &str| server.send(&server.get(path, ""));
    assert!(get("/").ends_with("the index"));
    for path in [
        "/../secret.html",
        "/%2e%2e/secret.html",
        "/pages/../../secret.html",
        "//secret.html",
        "/secret.html",
    ] {
        let answer = get(path);
        assert!(status(&answer) >= 400 && !answer.contains("a secret"), "{path}: {answer}");
    }
}

#[test]
fn a_page_that_is_not_there_is_answered_by_the_books_own_page() {
    let server = Server::start();
    assert!(server.send(&server.get("/none", "")).ends_with("the book has no such page\n"));
    std::fs::write(server.root.path().join("pages/404.html"), "not here").unwrap();
    let answer = server.send(&server.get("/none", ""));
    assert_eq!((status(&answer), answer.ends_with("not here")), (404, true), "{answer}");
}

#[test]
fn a_page_runs_no_script_that_the_builder_has_not_listed() {
    let server = Server::start();
    for path in ["/", "/loop", "/none"] {
        let answer = server.send(&server.get(path, "")).to_lowercase();
        let policy = answer.lines().find_map(|it| it.strip_prefix("content-security-policy: "));
        let scripts = policy.unwrap().split("; ").find(|it| it.starts_with("script-src ")).unwrap();
        assert_eq!(scripts, "script-src 'self' 'sha256-aaaa='");
        assert!(policy.unwrap().contains("default-src 'none'; "));
        assert!(policy.unwrap().ends_with("frame-ancestors 'none'"));
        assert!(!answer.contains("set-cookie"));
    }
}

#[test]
fn a_page_that_has_not_changed_is_not_sent_again() {
    let server = Server::start();
    let first = server.send(&server.get("/index.html", ""));
    let tag = first.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
    let again = server.send(&server.get("/index.html", &format!("If-None-Match: {tag}\r\n")));
    assert_eq!(status(&again), 304);
    for known in
        [format!("\"a\", {tag}"), format!("W/{tag}"), format!("\"a\"\r\nIf-None-Match: {tag}")]
    {
        let again = server.send(&server.get("/index.html", &format!("If-None-Match: {known}\r\n")));
        assert_eq!(status(&again), 304, "{known}");
    }
    let other = server.send(&server.get("/index.html", "If-None-Match: \"a\", \"b\"\r\n"));
    assert_eq!(status(&other), 200);
}

#[test]
fn a_forwarded_port_is_let_in_by_its_name() {
    let server = Server::start_with(&["--public-origin", "https://book-7007.example.dev"]);
    let address = server.address;
    let request = server.post("/cockpit/ask", LIST);
    let forwarded = request
        .replace(&format!("Host: {address}"), "Host: book-7007.example.dev")
        .replace(&format!("http://{address}"), "https://book-7007.example.dev");
    assert_eq!(status(&server.send(&forwarded)), 200);
    let plain = forwarded.replace("https://", "http://");
    assert_eq!(status(&server.send(&plain)), 403);
}
