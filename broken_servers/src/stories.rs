//! What the clients of each server do, and the symptom. A server without the fault has none.

use crate::play::milliseconds;
use crate::story::Act::{BeginsToRead, Connects, ConnectsBusy, Leaves, Sends};
use crate::story::Story;

/// A client is promised a long book, and has something else to do first.
pub fn library() -> Story {
    let story = Story::new(|played| {
        let (promised, got) = (4 * 1024 * 1024, played.bytes("Ann"));
        let part = if got < promised / 2 { "less than half" } else { "only a part" };
        (got != promised)
            .then(|| format!("Ann waits for {promised} bytes, and gets {part} of them."))
    });
    story.at(0, "Ann", ConnectsBusy).at(1000, "Ann", BeginsToRead).ends_at(5000)
}

/// One client searches, and meanwhile another one asks whether the server is still there.
pub fn archive() -> Story {
    let story = Story::new(|played| {
        let is_slow = played.received("Bob", "pong") > Some(milliseconds(250));
        is_slow.then(|| "Bob waits 0.7 s for his pong.".to_owned())
    });
    story
        .at(0, "Ann", Connects)
        .at(0, "Bob", Connects)
        .at(100, "Ann", Sends("search whale"))
        .at(200, "Bob", Sends("ping"))
        .ends_at(2000)
}

/// A client leaves before it has its answer, and another one comes.
pub fn bank() -> Story {
    let story = Story::new(|played| {
        let knows = played.received("Bob", "Ann has 300 dollars").is_some();
        knows.then(|| "Bob is told Ann's balance, and never asked for it.".to_owned())
    });
    story
        .at(0, "Ann", Connects)
        .at(100, "Ann", Sends("Ann"))
        .at(500, "Ann", Leaves)
        .at(1000, "Bob", Connects)
        .at(1100, "Bob", Sends("Bob"))
        .at(4000, "Bob", Leaves)
        .ends_at(5000)
}

/// One guest is quiet, and another one closes the reception.
pub fn reception() -> Story {
    let story = Story::new(|played| {
        let goes_on = played.when("the server has ended").is_none();
        goes_on.then(|| "The server should end at 8 s. At 20 s it's still there.".to_owned())
    });
    story
        .at(0, "Bob", Connects)
        .at(1000, "Bob", Sends("hello"))
        .at(7000, "Ann", Connects)
        .at(8000, "Ann", Sends("close"))
        .ends_at(20_000)
}

/// Some clients say more than they may. Then all leave.
pub fn parrot() -> Story {
    const TOO_LONG: &str = "there's a whale in the garden, and it wants tea";
    let story = Story::new(|played| {
        let woken = played.timers_since();
        (woken > 0).then(|| {
            format!(
                "At 2 s all have left, but until 5 s the loop wakes up {woken} times for timers."
            )
        })
    });
    story
        .at(0, "Ann", Connects)
        .at(100, "Ann", Sends("hello"))
        .at(500, "Bob", Connects)
        .at(500, "Bob", Sends(TOO_LONG))
        .at(700, "Cy", Connects)
        .at(700, "Cy", Sends(TOO_LONG))
        .at(2000, "Ann", Leaves)
        .ends_at(5000)
}

/// A second order arrives at a bad moment.
pub fn kitchen() -> Story {
    let story = Story::new(|played| {
        let waits = played.received("Bob", "pie").is_none();
        waits.then(|| "Bob has waited for his pie since 1.3 s, and the cook is free.".to_owned())
    });
    story
        .at(0, "Ann", Connects)
        .at(100, "Ann", Sends("soup"))
        .at(1200, "Bob", Connects)
        .at(1300, "Bob", Sends("pie"))
        .ends_at(30_000)
}
