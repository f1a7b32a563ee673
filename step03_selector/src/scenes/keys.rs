//! What a selector remembers, and what it refuses.

use std::fs::File;

use step01_fd::pipe;
use step03_selector::{EpollSelector, Interest, PollSelector, Selector};
use workbook::Transcript;

use super::both::{Log, key, outcome, play_both};

/// The selector keeps what epoll does not: who waits. It knows each descriptor once.
pub(crate) fn a_key_and_its_data(t: &mut Transcript) -> anyhow::Result<()> {
    let (mut epoll, mut poll) = (EpollSelector::new()?, PollSelector::new());
    play_both(t, |log| keys(&mut epoll, log), |log| keys(&mut poll, log))
}

fn keys(selector: &mut impl Selector<&'static str>, log: &mut Log) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let done = |()| "registered".to_string();
    let first = selector.register(&reader, Interest::READABLE, "Ann");
    log.say(format!("Ann, to read:        {}", outcome(first, done)));
    let again = selector.register(&reader, Interest::READABLE, "Bob");
    log.say(format!("Bob, the same one:   {}", outcome(again, done)));
    let nothing = selector.register(&writer, Interest::NONE, "Cid");
    log.say(format!("Cid, for nothing:    {}", outcome(nothing, done)));
    log.say(format!("key of the reader:   {}", key(selector.get_key(&reader))));
    log.say(format!("key of the writer:   {}", key(selector.get_key(&writer))));
    let gone = selector.unregister(&reader);
    log.say(format!("unregister it:       {}", outcome(gone, |it| key(Some(&it)))));
    let gone = selector.unregister(&reader);
    log.say(format!("unregister it twice: {}", outcome(gone, |it| key(Some(&it)))));
    log.say(format!("key of the reader:   {}", key(selector.get_key(&reader))));
    Ok(())
}

/// A regular file is always ready, says poll(2), and a loop that believed it would spin. epoll
/// refuses the question. What was refused leaves no key behind.
pub(crate) fn where_backends_differ(t: &mut Transcript) -> anyhow::Result<()> {
    t.say("epoll:");
    register_file(t, &mut EpollSelector::new()?)?;
    t.say("poll(2):");
    register_file(t, &mut PollSelector::new())
}

fn register_file(
    t: &mut Transcript,
    selector: &mut impl Selector<&'static str>,
) -> anyhow::Result<()> {
    let file = File::open("/proc/self/exe")?;
    let registered = selector.register(&file, Interest::READABLE, "file");
    let registered = outcome(registered, |()| "registered".to_string());
    t.say(format!("  a regular file: {registered}"));
    t.say(format!("  its key: {}", key(selector.get_key(&file))));
    Ok(())
}
