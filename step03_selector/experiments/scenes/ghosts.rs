//! Events for a client that's gone, with a bare number as the token, with a generation, and in a
//! list that was made earlier.

use std::collections::HashMap;
use std::os::fd::{AsRawFd, RawFd};
use std::time::{Duration, Instant};

use scene::{Transcript, say, scene};
use step01_fd::{pipe, read, socketpair, write};
use step02_epoll::{Epoll, Events, Trigger};
use step03_selector::{EpollSelector, Interest, PollSelector, SelectSelector, Selector};

use super::backends::ready;

const NOW: Option<Duration> = Some(Duration::ZERO);
const AN_HOUR: Option<Duration> = Some(Duration::from_hours(1));

scene!(
    number_as_token,
    "Ann's socket is closed, and Bob gets its number. Bytes for Ann arrive. Whom does the loop call?"
);
/// Step 02's way to find a client: the token is the descriptor's number, and a map finds the client
/// by that number. Nothing is deleted, because closing Ann's socket should have done that. The
/// Python twin does the same with CPython's selectors.
fn number_as_token(t: Transcript) -> anyhow::Result<()> {
    let epoll = Epoll::new()?;
    let mut clients = HashMap::new();
    let (ann, anns_peer) = socketpair()?;
    let n = ann.as_raw_fd();
    epoll.add(&ann, token_of(n), Interest::READABLE, Trigger::Level)?;
    clients.insert(token_of(n), "Ann");
    let _workers_copy = ann.try_clone()?;
    clients.remove(&token_of(n));
    drop(ann);

    let (bob, _bobs_peer) = socketpair()?;
    say!(t, "Ann's socket was N and is closed; Bob's socket is {}", name_of(&bob, n));
    epoll.add(&bob, token_of(bob.as_raw_fd()), Interest::READABLE, Trigger::Level)?;
    clients.insert(token_of(bob.as_raw_fd()), "Bob");
    write(&anns_peer, b"hello, Ann")?;
    say!(t, "Ann's peer sends 10 bytes");
    let mut events = Events::with_capacity(8);
    for wait in 1..=3 {
        epoll.wait(&mut events, NOW)?;
        for event in &events {
            let client = clients[&event.token()];
            let read = read(&bob, &mut [0; 16]);
            say!(t, "  after wait {wait} the loop calls {}, who reads: {:?}", client, read?);
        }
    }
    Ok(())
}

fn token_of(n: RawFd) -> u64 {
    n.unsigned_abs().into()
}

/// Says whether `fd` is descriptor N.
fn name_of(fd: &impl AsRawFd, n: RawFd) -> &'static str {
    if fd.as_raw_fd() == n { "N" } else { "not N" }
}

scene!(
    a_thousand_selects,
    "The selector drops a stale event. How many hours do 1000 selects take, each with a timeout of an hour?"
);
/// Ann's registration stays in the kernel, because a duplicate keeps her pipe open. Only Bob is
/// registered with the selector.
fn a_thousand_selects(t: Transcript) -> anyhow::Result<()> {
    let mut found = Vec::new();
    let mut selector = EpollSelector::new()?;
    let (ann, anns_writer) = pipe()?;
    let _duplicate = ann.try_clone()?;
    selector.register(&ann, Interest::READABLE, "Ann")?;
    drop(ann);
    let (bob, _bobs_writer) = pipe()?;
    // Bob has Ann's number, and so her key. The kernel doesn't find her entry under it.
    selector.unregister(&bob)?;
    selector.register(&bob, Interest::READABLE, "Bob")?;
    write(&anns_writer, b"hello, Ann")?;
    say!(t, "10 bytes for Ann arrive; only Bob is registered");

    let begin = Instant::now();
    let mut events = 0;
    for _ in 0..1000 {
        selector.select(AN_HOUR, &mut found)?;
        events += found.len();
    }
    say!(t, "  1000 selects of up to an hour: {} events for Bob", events);
    say!(t, "  hours taken:                   {}", begin.elapsed().as_secs() / 3600);
    Ok(())
}

scene!(
    closed_within_a_batch,
    "Ann's turn closes Bob's socket, and Cid gets its number. Bob's event comes next. Which client gets that event?"
);
/// Both events are in the list that one select has made. Each event carries its client's number,
/// as `Source::Client` does in the echo server.
fn closed_within_a_batch(t: Transcript) -> anyhow::Result<()> {
    let mut selector = EpollSelector::new()?;
    let (ann, anns_peer) = socketpair()?;
    let (bob, bobs_peer) = socketpair()?;
    let n = bob.as_raw_fd();
    selector.register(&ann, Interest::READABLE, ann.as_raw_fd())?;
    selector.register(&bob, Interest::READABLE, n)?;
    let mut clients = HashMap::from([(ann.as_raw_fd(), "Ann"), (n, "Bob")]);
    write(&anns_peer, b"x")?;
    write(&bobs_peer, b"x")?;
    let mut found = Vec::new();
    selector.select(NOW, &mut found)?;
    found.sort_by_key(|event| event.data); // Ann's number is the lower one.
    say!(t, "one select finds {} events", found.len());

    say!(t, "the first event is for {}", clients[&found[0].data]);
    selector.unregister(&bob)?;
    clients.remove(&n);
    drop(bob);
    let (cid, _cids_peer) = socketpair()?;
    selector.register(&cid, Interest::READABLE, cid.as_raw_fd())?;
    clients.insert(cid.as_raw_fd(), "Cid");
    say!(t, "  Bob's socket N is unregistered and closed; Cid's is {}", name_of(&cid, n));
    say!(t, "the second event is for {}", clients[&found[1].data]);
    Ok(())
}

scene!(
    lists_of_numbers,
    "Ann's pipe is closed. Bob's unregistered pipe gets its number, and then bytes for Bob arrive. Is Ann reported?"
);
/// `poll(2):   [Ann READABLE]`, although the bytes are Bob's: poll(2) and select(2) take bare
/// numbers in each call, and the number now refers to Bob's pipe. The selector finds Ann's key
/// under that number. `epoll:     nothing`, because an entry of epoll's list is a number together
/// with an open object, and the kernel dropped the entry when Ann's pipe was closed. If you
/// unregister before you close, no selector can mix up Ann and Bob.
fn lists_of_numbers(t: Transcript) -> anyhow::Result<()> {
    say!(t, "bytes for Bob arrive");
    say!(t, "  epoll:     {}", told_of_bob(EpollSelector::new()?)?);
    say!(t, "  poll(2):   {}", told_of_bob(PollSelector::new())?);
    say!(t, "  select(2): {}", told_of_bob(SelectSelector::new())?);
    Ok(())
}

/// Closes Ann's pipe, sends bytes to Bob, who has her number, and lists the ready descriptors.
fn told_of_bob(mut selector: impl Selector<&'static str>) -> anyhow::Result<String> {
    let (ann, _anns_writer) = pipe()?;
    selector.register(&ann, Interest::READABLE, "Ann")?;
    drop(ann);
    let (_bob, bobs_writer) = pipe()?;
    write(&bobs_writer, b"hello, Bob")?;
    let mut found = Vec::new();
    selector.select(NOW, &mut found)?;
    Ok(ready(&found))
}
