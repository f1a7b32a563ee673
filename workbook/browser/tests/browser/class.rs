//! One of the plan's lessons, played through by a teacher and three students, each with a separate
//! browser.
//!
//!     cargo run -p book && cargo test --manifest-path workbook/browser/Cargo.toml class
//!
//! With `CLASS_PICTURES=DIR`, the test leaves pictures of both sides in that directory.

use std::fs;

use anyhow::{Context, Result, ensure};
use book_in_a_browser::class::Class;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::class_forms::{Asks, How, forms};
use crate::class_person::Person;

/// The scene that one student predicts with the keyboard alone: `inherited_by_a_child`.
const BY_KEYBOARD: usize = 3;

/// Joins the class many times, under made-up names.
const FLOOD: &str = r"async (code) => {
    for (const number of [1, 2, 3, 4, 5]) {
        const body = JSON.stringify({ code, name: `Made up ${number}` });
        const answer = await fetch('/class/join', { method: 'POST', body });
        if (!answer.ok) {
            throw new Error(await answer.text());
        }
    }
}";

/// Sends the report of a student's runner.
const REPORT: &str = r"() => fetch('class/report', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Class-Token': localStorage.getItem('event-loop-workbook.class.student') },
    body: JSON.stringify({ package: 'step01_fd', exercise: '1.5', outcome: 'red',
        line: 'read: Interrupted <img src=x>', green: ['1.1', '1.2', '1.3', '1.4'] }),
}).then((answer) => answer.ok)";

/// Returns the polls of the first session from the server: ids and kinds.
fn polls_of_the_first_session(teacher: &mut Person) -> Result<Vec<(String, String)>> {
    let found = teacher.tab.evaluate(
        "fetch('class/teach/hello', { method: 'POST', headers: { 'Content-Type': 'application/json',
            'Class-Token': localStorage.getItem('event-loop-workbook.class.teacher') }, body: '{}' })
            .then((it) => it.json())
            .then(({ sessions, polls }) => sessions[0].polls.map((id) => [id, polls.find((it) => it.id === id).kind]))",
    )?;
    Ok(serde_json::from_value(found)?)
}

#[test]
fn a_teacher_and_three_students_go_through_a_lesson() -> Result<()> {
    let directory = TempDir::new()?;
    let state = directory.path().join("class.jsonl");
    let mut class = Class::start(&state, 0)?;
    let forms = forms()?;

    let mut teacher = Person::open("the teacher", &class.teacher, 1280)?;
    teacher.wait("document.querySelector('.connection')?.textContent === 'Connected.'")?;
    assert_eq!(teacher.tab.evaluate("location.hash")?, "", "the token is out of the address");
    teacher.sees("0 are here")?;
    teacher.wait("document.querySelector('.wall .square svg')?.clientWidth > 200")?;

    // A hostile name is refused in words and shown as plain words everywhere.
    let mut ann = Person::open("Ann", &class.students, 360)?;
    ann.picture("student-1-join", 360)?;
    ann.is_accessible()?;
    ann.fill("<img src=x onerror=document.title='hostile'>")?;
    ann.sees("can have up to 40 characters")?;
    assert_eq!(ann.tab.evaluate("document.querySelectorAll('img').length")?, 0);
    ann.fill("Ann")?;
    ann.wait("document.querySelector('.connection')?.textContent === 'Connected.'")?;
    assert_eq!(ann.tab.evaluate("location.hash")?, "", "the code is out of the address");
    let (mut bob, mut cy) = (Person::join("Bob", &class)?, Person::join("Cy", &class)?);
    let mut twin = Person::open("another Ann", &class.students, 360)?;
    twin.fill("ANN")?;
    twin.sees("has this name")?;
    twin.tab.evaluate("document.querySelectorAll('form.join input')[0].value = 'bbbb-bbbb'")?;
    twin.fill("Dee")?;
    twin.sees("that isn't the class's code")?;
    drop(twin);
    teacher.sees("3 are here")?;
    teacher.picture("teacher-1-join", 1280)?;
    teacher.is_accessible()?;
    ann.picture("student-2-waits", 360)?;

    let polls = polls_of_the_first_session(&mut teacher)?;
    assert!(polls.len() >= 5, "{polls:?}");
    let mut named_one = false;
    for (number, (id, kind)) in polls.iter().enumerate() {
        let asks = forms.get(id).with_context(|| format!("no form {id}"))?;
        teacher.click(if number == 0 { "Open: " } else { "Next: " })?;
        teacher.sees("answered: 0 of 3")?;
        ann.sees("A question is open")?;
        if number == 0 {
            ann.picture("student-3-asked", 360)?;
            ann.picture("student-3-asked", 1280)?;
            ann.is_accessible()?;
            teacher.picture("teacher-2-open", 1280)?;
            teacher.is_accessible()?;
        }
        let do_all_agree = number != BY_KEYBOARD
            && matches!(asks, Asks::Lines(lines) if lines.has_misconceptions());
        let bobs = if do_all_agree { How::AsExpectedWrongly } else { How::First };
        let cys = if do_all_agree { How::AsExpectedWrongly } else { How::Last };
        let anns = if do_all_agree { How::AsExpectedWrongly } else { How::Rightly };
        ann.predict(asks, &anns)?;
        teacher.sees("answered: 1 of 3")?;
        bob.predict(asks, &bobs)?;
        // The wall says how many have answered, and nothing about the answers.
        teacher.sees("answered: 2 of 3")?;
        let bars = "document.querySelector('.bars')";
        assert_eq!(
            teacher.tab.evaluate(bars)?,
            Value::Null,
            "an answer is on the wall before the end"
        );
        if number == 1 {
            class =
                restarted(class, &state, &mut [&mut teacher, &mut ann, &mut bob, &mut cy], asks)?;
            teacher.sees("answered: 2 of 3")?;
            ann.sees("Your answer has been sent.")?;
        }
        teacher.shows_no_name()?;
        if number == BY_KEYBOARD {
            cy.predict_by_keyboard()?;
        } else {
            cy.predict(asks, &cys)?;
        }
        teacher.sees("answered: 3 of 3")?;
        teacher.click("Close the poll")?;
        teacher.sees("Let two students who disagree explain")?;
        teacher.wait("document.querySelectorAll('.bars .bar').length > 0")?;
        assert_eq!(
            teacher
                .tab
                .evaluate("document.querySelectorAll('.bars .is-right, .bars .is-wrong').length")?,
            0
        );
        ann.sees("Find someone who predicted something else")?;
        if number < 2 {
            teacher.picture(&format!("teacher-3-closed-{number}"), 1280)?;
            teacher.is_accessible()?;
            ann.picture("student-4-closed", 360)?;
        }
        if kind == "scene" {
            teacher.click("Play")?;
        } else {
            teacher.click("Reveal")?;
        }
        teacher.wait("document.querySelectorAll('.bars .is-right').length + document.querySelectorAll('.bars .is-wrong').length > 0")?;
        teacher.wait("document.querySelector('.wall details:not(.all-polls)') !== null")?;
        assert_eq!(teacher.tab.evaluate("document.querySelectorAll('img').length")?, 0, "{id}");
        teacher.shows_no_name()?;
        for student in [&mut ann, &mut bob, &mut cy] {
            student.wait("document.querySelector('.compared') !== null")?;
            assert_eq!(student.tab.evaluate("document.querySelectorAll('img').length")?, 0, "{id}");
        }
        if do_all_agree {
            named_one = true;
            teacher.sees("3 of you: ")?;
            bob.sees("(3 of you)")?;
        } else {
            let said = ann.text(".said")?;
            let all_right = said == "That's it." || {
                let words: Vec<&str> = said.split(' ').collect();
                words.len() == 4 && words[0] == words[2].trim_end_matches('.') && words[0] != "0"
            };
            assert!(all_right, "{id}: {said}");
            assert!(
                !teacher.text("main")?.contains("of you: "),
                "{id}: no three have overlooked the same"
            );
        }
        if number < 3 {
            teacher.picture(&format!("teacher-4-played-{number}"), 1280)?;
            bob.picture(&format!("student-5-played-{number}"), 360)?;
            bob.picture(&format!("student-5-played-{number}"), 1280)?;
            teacher.is_accessible()?;
            bob.is_accessible()?;
        }
    }
    assert!(named_one, "no scene of the session has a misconception that the chapter names");

    // A prediction from outside the plan, with lines to put in order.
    let asks = forms.get("step06_tasks/a_greeting").context("a scene with an order")?;
    let opener = "[...document.querySelectorAll('.all-polls button')].find((it) => it.textContent.endsWith(' a_greeting'))";
    teacher.tab.evaluate(&format!("{opener}.click()"))?;
    ann.predict(asks, &How::Rightly)?;
    bob.wait("document.querySelector('.predict .chosen') !== null")?;
    bob.picture("student-8-order", 360)?;
    teacher.sees("answered: 1 of 3")?;
    teacher.click("Close the poll")?;
    teacher.click("Play")?;
    ann.sees("3 of 3 right.")?;
    bob.sees("You didn't answer this question.")?;

    // A bug from the hunt, which the teacher can open at any time.
    teacher.tab.evaluate("document.querySelector('.all-polls').open = true")?;
    teacher.picture("teacher-5-all-polls", 1280)?;
    teacher.click("1.7 flush, bug 1")?;
    for student in [&mut ann, &mut bob, &mut cy] {
        student.sees("Which promise does this body break?")?;
        student.tab.evaluate("document.querySelector('.predict input[type=radio]').click()")?;
        student.click("Send")?;
    }
    teacher.sees("answered: 3 of 3")?;
    ann.picture("student-7-bug", 360)?;
    teacher.click("Close the poll")?;
    teacher.click("Reveal")?;
    ann.wait("document.querySelector('.compared') !== null")?;
    // The three students have chosen the first answer, which is wrong.
    teacher.sees("3 of you: “At most three calls of write are made.”")?;
    teacher.picture("teacher-6-bug", 1280)?;

    // Their terminals have joined the board. The text of a verdict is shown as plain words.
    for student in [&mut ann, &mut bob, &mut cy] {
        student.tab.evaluate(&format!("({REPORT})()"))?;
    }
    // A student asks for help and closes the page. Opened again, the page goes on.
    bob.click("Ask for help")?;
    bob.sees("You've asked for help")?;
    let origin = class.students.split("#").next().context("an address")?.to_owned();
    bob.tab.go_to("about:blank")?;
    bob.tab.go_to(&origin)?;
    bob.sees("You've asked for help")?;
    bob.wait("document.querySelector('h1').textContent === 'Bob'")?;
    teacher.tab.evaluate("location.hash = '#board'")?;
    teacher.sees("Bob, wants help")?;
    teacher.sees("3 students are at 1.5 with the same red line")?;
    teacher.sees("What does the caller of read still want?")?;
    teacher.sees("<img src=x>")?;
    assert_eq!(teacher.tab.evaluate("document.querySelectorAll('img').length")?, 0);
    teacher.wait("document.querySelector('tbody tr').textContent.includes('Bob')")?;
    teacher.picture("teacher-5-board", 1280)?;
    teacher.is_accessible()?;

    // An attacker fills the class with names. The teacher shuts the door and removes all of them
    // at once.
    let code = class.students.split("#code=").nth(1).context("a code")?;
    bob.tab.evaluate(&format!("({FLOOD})({})", json!(code)))?;
    teacher.sees("8 in the class")?;
    teacher.click("Let nobody else in")?;
    teacher.sees("Let students in again")?;
    teacher.click("Tick students who have only joined")?;
    teacher.sees("Remove the ticked students (5)")?;
    teacher.picture("teacher-5-flood", 1280)?;
    teacher.is_accessible()?;
    teacher.tab.evaluate("window.confirm = () => true")?;
    teacher.click("Remove the ticked students (5)")?;
    teacher.sees("3 in the class")?;
    teacher.click("Let students in again")?;
    teacher.sees("Let nobody else in")?;

    // Leaving deletes a name.
    cy.tab.evaluate("window.confirm = () => true")?;
    cy.click("Leave")?;
    cy.sees("your data has been deleted")?;
    teacher.sees("2 in the class")?;
    assert!(!fs::read_to_string(&state)?.contains("\"Cy\""));

    teacher.tab.evaluate("location.hash = '#report'")?;
    teacher.sees("Most often predicted wrong")?;
    teacher.picture("teacher-6-report", 1280)?;
    assert_eq!(teacher.pages_on_paper()?, 1);
    teacher.is_accessible()?;
    teacher.tab.evaluate("window.confirm = () => true")?;
    teacher.click("End the class")?;
    teacher.sees("The class has ended")?;
    ann.sees("The class has ended")?;
    assert!(!state.exists(), "the class's file is deleted at its end");

    // The browser itself logs the refusals and the restart.
    for person in [&teacher, &ann, &bob, &cy] {
        let scripts = person.tab.complaints.iter().filter(|it| !it.contains("\"network\""));
        assert_eq!(scripts.collect::<Vec<_>>(), Vec::<&String>::new(), "{}", person.name);
    }
    Ok(())
}

/// Kills the server in the middle of a poll and restarts it. Every page must report that and
/// reconnect.
fn restarted(
    mut class: Class,
    state: &std::path::Path,
    people: &mut [&mut Person],
    asks: &Asks,
) -> Result<Class> {
    let (port, before) = (class.port()?, class.students.clone());
    class.kill()?;
    for person in &mut *people {
        person.wait(
            "document.querySelector('.connection').textContent.includes(\"isn't answering\")",
        )?;
    }
    people[1].picture("student-6-lost", 360)?;
    // An answer that isn't on the teacher's disk isn't called sent, and it stays in its fields.
    people[3].fill_in(asks, &How::Last)?;
    people[3].click("Send")?;
    people[3].sees("Your answer wasn't confirmed:")?;
    let class = Class::start(state, port)?;
    ensure!(class.students == before, "the same code");
    for person in &mut *people {
        person.wait("document.querySelector('.connection').textContent === 'Connected.'")?;
    }
    let fields = "[...document.querySelectorAll('.predict ol.lines :is(input, select)')]";
    let is_kept = format!("{fields}.length > 0 && {fields}.every(({{ value }}) => value !== '')");
    assert_eq!(people[3].tab.evaluate(&is_kept)?, true);
    Ok(class)
}
