//! The servers' stories. Each story consists of the clients' moves, the symptom of the server's
//! fault, and the events that have to happen in a correct server.
//!
//! The events have to be checked, too, because in some stories, a server that does nothing shows no
//! symptom.

use asyncio::Time;

use crate::seen::{Played, milliseconds};
use crate::story::Act::{BeginsToRead, Connects, ConnectsBusy, Counts, Leaves, Sends};
use crate::story::Story;
use crate::ticks::seconds;

/// The size of the library's book.
const BOOK: usize = 4 * 1024 * 1024;

/// Returns the description of a missing event, or `None` if the event has happened.
fn unless(is_there: bool, missing: &str) -> Option<String> {
    (!is_there).then(|| missing.to_owned())
}

/// Returns the library's story: a client is sent a long book but has something else to do before
/// reading it.
pub fn library() -> Story {
    let symptom = |played: &Played| {
        unless(played.rest("Ann").len() >= BOOK, "Ann waits for the rest of her book")
    };
    let missing = |played: &Played| {
        let begins = played.received("Ann", &format!("the book has {BOOK} bytes"));
        let rest = played.rest("Ann");
        unless(begins.is_some(), "Ann isn't told how long the book is")
            .or_else(|| unless(rest.len() == BOOK, "Ann gets more than the book"))
            .or_else(|| unless(is_the_book(rest), "Ann gets its parts in disorder"))
    };
    Story::new(symptom, missing)
        .at(0, "Ann", ConnectsBusy)
        .at(1000, "Ann", BeginsToRead)
        .at(5000, "Ann", Counts(BOOK))
        .ends_at(5000)
}

/// Returns true if `text` is the whole book. The book's words are numbered, so a part in the wrong
/// place can't go unnoticed.
fn is_the_book(text: &[u8]) -> bool {
    let words = (1..).flat_map(|number| format!("whale {number} ").into_bytes());
    words.take(BOOK).eq(text.iter().copied())
}

/// Returns the archive's story: one client searches, and meanwhile another client asks whether the
/// server is still there.
pub fn archive() -> Story {
    let symptom = |played: &Played| {
        let waited = played.received("Bob", "pong")? - milliseconds(200);
        let is_slow = waited > milliseconds(50) - Time::ZERO;
        is_slow.then(|| format!("Bob waits {} s for his pong", seconds(waited)))
    };
    let missing = |played: &Played| {
        unless(played.received("Bob", "pong").is_some(), "Bob gets no pong").or_else(|| {
            let found = played.received("Ann", "8 letters");
            unless(found.is_some(), "Ann isn't told that there are 8 letters")
        })
    };
    Story::new(symptom, missing)
        .at(0, "Ann", Connects)
        .at(0, "Bob", Connects)
        .at(100, "Ann", Sends("search whale"))
        .at(200, "Bob", Sends("ping"))
        .ends_at(2000)
}

/// Returns the bank's story: a client leaves before its answer arrives, and another client
/// connects.
pub fn bank() -> Story {
    let symptom = |played: &Played| {
        let knows = played.received("Bob", "Ann has 300 dollars").is_some();
        unless(!knows, "Bob is told Ann's balance, though he never asked for it")
    };
    let missing = |played: &Played| {
        let hears = |line| played.received("Bob", line) == Some(milliseconds(3100));
        unless(hears("Bob has 300 dollars"), "Bob isn't told his own balance at 3.1 s")
            .or_else(|| unless(hears("Cy has 200 dollars"), "Bob isn't told Cy's balance at 3.1 s"))
    };
    Story::new(symptom, missing)
        .at(0, "Ann", Connects)
        .at(100, "Ann", Sends("Ann"))
        .at(500, "Ann", Leaves)
        .at(1000, "Bob", Connects)
        .at(1100, "Bob", Sends("Bob\nCy"))
        .at(4000, "Bob", Leaves)
        .ends_at(5000)
}

/// Returns the reception desk's story: one guest is quiet, and another says `close`.
pub fn reception() -> Story {
    const CLOSED: Time = milliseconds(8000);
    let symptom = |played: &Played| match played.when("the server has ended") {
        None => Some("The server should end at 8 s, and at 20 s it's still there".to_owned()),
        Some(at) if at > CLOSED => {
            let at = seconds(at - Time::ZERO);
            Some(format!("The server should end at 8 s, and ends at {at} s"))
        }
        Some(_) => None,
    };
    let missing = |played: &Played| {
        let asked = played.first_received("Bob", "are you still there?");
        let goodbye = |who| played.received(who, "goodbye") == Some(CLOSED);
        unless(asked == Some(milliseconds(6000)), "Bob isn't asked at 6 s whether he's still there")
            .or_else(|| unless(goodbye("Bob"), "Bob isn't told goodbye at 8 s"))
            .or_else(|| unless(goodbye("Ann"), "Ann isn't told goodbye at 8 s"))
    };
    Story::new(symptom, missing)
        .at(0, "Bob", Connects)
        .at(1000, "Bob", Sends("hello"))
        .at(7000, "Ann", Connects)
        .at(8000, "Ann", Sends("close"))
        .ends_at(20_000)
}

/// Returns the parrot's story: a client sends more lines than it's allowed to, and two others send
/// lines that are too long, so the server disconnects them. Then the first client leaves.
pub fn parrot() -> Story {
    const TOO_LONG: &str = "there's a whale in the garden, and it wants tea";
    let symptom = |played: &Played| {
        let woken = played.timers_after(milliseconds(2400));
        let woken = (woken > 0).then_some(woken)?;
        let until = "At 2.4 s all have left, but until 5.4 s";
        Some(format!("{until} the loop wakes up {woken} times for timers"))
    };
    let missing = |played: &Played| {
        let hears = |line: &str| played.received("Ann", line).is_some();
        let is_gone = |who: &str| played.when(&format!("{who} is disconnected")).is_some();
        unless(hears("three"), "Ann can't say three lines in a second")
            .or_else(|| unless(hears("slow down!") && !hears("four"), "Ann can say a fourth line"))
            .or_else(|| unless(hears("seven"), "after a second, Ann can't say three lines again"))
            .or_else(|| unless(hears("eight"), "after two seconds, Ann can't say a line again"))
            .or_else(|| unless(is_gone("Bob") && is_gone("Cy"), "a line can be too long"))
    };
    Story::new(symptom, missing)
        .at(0, "Ann", Connects)
        .at(100, "Ann", Sends("one\ntwo\nthree\nfour"))
        .at(500, "Bob", Connects)
        .at(500, "Bob", Sends(TOO_LONG))
        .at(700, "Cy", Connects)
        .at(700, "Cy", Sends(TOO_LONG))
        .at(1200, "Ann", Sends("five\nsix\nseven"))
        .at(2300, "Ann", Sends("eight"))
        .at(2400, "Ann", Leaves)
        .ends_at(5400)
}

/// Returns the kitchen's story: a second order arrives at a bad moment.
pub fn kitchen() -> Story {
    let symptom = |played: &Played| {
        let served = played.received("Bob", "pie").is_some();
        unless(served, "Bob has waited for his pie since 1.3 s, and the cook is free")
    };
    let missing = |played: &Played| {
        let soup = played.received("Ann", "soup");
        let pie = played.received("Bob", "pie");
        // Bob is served at 2.6 s, and after 10 s nothing is left to do.
        let woken = played.timers_after(milliseconds(10_000));
        unless(soup == Some(milliseconds(1100)), "Ann doesn't get her soup at 1.1 s")
            .or_else(|| unless(pie <= Some(milliseconds(2600)), "Bob's pie isn't there at 2.6 s"))
            .or_else(|| unless(woken == 0, "the cook gets up again and again without an order"))
    };
    Story::new(symptom, missing)
        .at(0, "Ann", Connects)
        .at(100, "Ann", Sends("soup"))
        .at(1200, "Bob", Connects)
        .at(1300, "Bob", Sends("pie"))
        .ends_at(30_000)
}
