//! A number is not a name.

use anyhow::Context;
use scene::{Transcript, say, scene};
use step01_fd::{pipe, socketpair};
use step03_selector::{Interest, Registry, SelectorKey, Trigger};

use super::backends::key;

fn key_of(data: &'static str) -> SelectorKey<&'static str> {
    SelectorKey { interest: Interest::READABLE, trigger: Trigger::Level, data }
}

scene!(
    reregistering_gives_a_new_token,
    "A number is registered, forgotten and registered again. Is it the same registration?"
);
/// The number finds the key. The token tells this registration from the one before.
fn reregistering_gives_a_new_token(t: Transcript) -> anyhow::Result<()> {
    let mut registry = Registry::new();
    let (low, high) = socketpair()?;
    let promised = registry.next_token(&high)?;
    registry.insert(&high, key_of("Ann"));
    say!(t, "key of the higher number: {}", key(registry.get(&high)));
    say!(t, "key of the lower one:     {}", key(registry.get(&low)));
    let (first, _) = registry.find(&high)?;
    say!(t, "its token is as promised: {}", first == promised);
    say!(t, "Bob, the same number:     {:?}", registry.next_token(&high).map_err(|it| it.kind()));

    registry.remove(&high)?;
    let promised = registry.next_token(&high)?;
    registry.insert(&high, key_of("Bob"));
    registry.insert(&low, key_of("Cid"));
    say!(t, "after a removal:          {}", key(registry.get(&high)));
    say!(t, "and the lower number:     {}", key(registry.get(&low)));
    let (second, _) = registry.find(&high)?;
    say!(t, "its token is as promised: {}", second == promised);
    say!(t, "the number has another token now: {}", second != first);
    let (third, _) = registry.find(&low)?;
    say!(t, "all three differ: {}", third != first && third != second);
    Ok(())
}

scene!(
    stale_token_finds_nothing,
    "An event is on its way, and its registration ends. Whom does its token find?"
);
/// An event may be on its way when its registration ends. Its token must find nobody then, not
/// whoever has the number now.
fn stale_token_finds_nothing(t: Transcript) -> anyhow::Result<()> {
    let mut registry = Registry::new();
    let (old, _old_writer) = pipe()?;
    let yesterday = registry.next_token(&old)?;
    say!(t, "before it is filed:    {}", key(registry.by_token(yesterday)));
    registry.insert(&old, key_of("old"));
    say!(t, "while it stands:       {}", key(registry.by_token(yesterday)));
    registry.remove(&old)?;
    say!(t, "removed:               {}", key(registry.by_token(yesterday)));
    drop(old);
    let (new, _new_writer) = pipe()?;
    let today = registry.next_token(&new)?;
    registry.insert(&new, key_of("new"));
    say!(t, "the number comes back: {}", key(registry.by_token(yesterday)));
    say!(t, "and its own token:     {}", key(registry.by_token(today)));
    let strange = today.checked_add(1_000_000).context("a number of a million")?;
    say!(t, "a number never seen:   {}", key(registry.by_token(strange)));
    Ok(())
}
