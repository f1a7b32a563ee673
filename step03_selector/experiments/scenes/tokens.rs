//! Tokens that tell one registration of a descriptor from the next.

use anyhow::Context;
use scene::{Transcript, say, scene};
use step01_fd::{pipe, socketpair};
use step03_selector::{Interest, Registry, SelectorKey, Table, Trigger};

use super::backends::key;

fn key_of(data: &'static str) -> SelectorKey<&'static str> {
    SelectorKey { interest: Interest::READABLE, trigger: Trigger::Level, data }
}

scene!(
    registered_again,
    "A descriptor is registered, removed and registered again. Does it get the same token as before?"
);
/// `Ann's token and Bob's: different`, although both were for the same descriptor. A token is the
/// descriptor's number together with a generation, which counts all registrations so far. If an
/// event of Ann's registration arrives late, its token doesn't match Bob's, so the selector won't
/// take Ann's event for one of Bob's. `next_token once more:  Err(AlreadyExists)`, because a
/// descriptor can have only one registration at a time.
fn registered_again(t: Transcript) -> anyhow::Result<()> {
    let mut registry = Registry::new();
    let (low, high) = socketpair()?;
    let promised = registry.next_token(&high)?;
    registry.insert(&high, key_of("Ann"));
    say!(t, "Ann registers the higher descriptor");
    say!(t, "  higher fd's key:       {}", key(registry.get(&high)));
    say!(t, "  lower fd's key:        {}", key(registry.get(&low)));
    let (first, _) = registry.find(&high)?;
    say!(t, "  higher fd's token:     {}", kept(first, promised));
    say!(t, "  next_token once more:  {:?}", registry.next_token(&high).map_err(|it| it.kind()));

    registry.remove(&high)?;
    let promised = registry.next_token(&high)?;
    registry.insert(&high, key_of("Bob"));
    registry.insert(&low, key_of("Cid"));
    say!(t, "the higher descriptor is removed; Bob registers it, and Cid registers the lower one");
    say!(t, "  higher fd's key:       {}", key(registry.get(&high)));
    say!(t, "  lower fd's key:        {}", key(registry.get(&low)));
    let (second, _) = registry.find(&high)?;
    say!(t, "  higher fd's token:     {}", kept(second, promised));
    say!(t, "  Ann's token and Bob's: {}", if first == second { "equal" } else { "different" });
    let (third, _) = registry.find(&low)?;
    let unique = third != first && third != second;
    say!(t, "  Cid's and those two:   {}", if unique { "different" } else { "equal" });
    Ok(())
}

fn kept(token: u64, promised: u64) -> &'static str {
    if token == promised { "as next_token said" } else { "not as next_token said" }
}

scene!(
    a_token_kept,
    "A descriptor is unregistered and then registered again. What does the first token find?"
);
/// `the old token, new registered: none`, although the new pipe has got the old pipe's number. The
/// upper half of a token is a generation, a count of all registrations so far, and `by_token`
/// compares it with the generation that's filed under the number. A late event for the old pipe
/// finds no key and is dropped instead of waking the new pipe's owner.
fn a_token_kept(t: Transcript) -> anyhow::Result<()> {
    let mut registry = Registry::new();
    let (old, _old_writer) = pipe()?;
    let old_token = registry.next_token(&old)?;
    say!(t, "the old token, before insert:  {}", key(registry.by_token(old_token)));
    registry.insert(&old, key_of("old"));
    say!(t, "the old token, old registered: {}", key(registry.by_token(old_token)));
    registry.remove(&old)?;
    say!(t, "the old token, old removed:    {}", key(registry.by_token(old_token)));
    drop(old);
    let (new, _new_writer) = pipe()?;
    let new_token = registry.next_token(&new)?;
    registry.insert(&new, key_of("new"));
    say!(t, "the old token, new registered: {}", key(registry.by_token(old_token)));
    say!(t, "the new token, new registered: {}", key(registry.by_token(new_token)));
    let unknown = new_token.checked_add(1_000_000).context("a descriptor above a million")?;
    say!(t, "a token of an unknown fd:      {}", key(registry.by_token(unknown)));
    Ok(())
}

scene!(
    four_billion_registrations,
    "A generation has 32 bits. Ann's token is kept for 2³² registrations. What does the token find then?"
);
/// All three entries are at index 7. The table counts the entries in between as made and removed.
fn four_billion_registrations(t: Transcript) -> anyhow::Result<()> {
    let mut table = Table::new();
    let anns_token = table.next_token(7);
    table.insert(7, "Ann");
    say!(t, "Ann's token: {:#018x}", anns_token);
    table.remove(7);
    say!(t, "Bob's token: {:#018x}", table.next_token(7));
    table.insert(7, "Bob");
    say!(t, "  Ann's token finds: {}", table.by_token(anns_token).unwrap_or(&"nothing"));
    table.remove(7);
    table.skip(u32::MAX - 1);
    say!(t, "Cid's token, 2^32 registrations after Ann's: {:#018x}", table.next_token(7));
    table.insert(7, "Cid");
    say!(t, "  Ann's token finds: {}", table.by_token(anns_token).unwrap_or(&"nothing"));
    Ok(())
}
