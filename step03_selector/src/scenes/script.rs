//! What CPython's `selectors` has to say, too: these scenes have twins in `tests/python/twins/`.

use std::any::type_name;
use std::fs;
use std::io;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{Written, pipe, read, socketpair, write};
use step03_selector::{
    DefaultSelector, EchoServer, Interest, PollSelector, SelectSelector, Selector,
};

use super::backends::{Log, in_short, play_on_all};

const NOW: Option<Duration> = Some(Duration::ZERO);

scene!(same_script_on_asyncio, "One script on epoll, poll(2) and select(2): how many transcripts?");
/// One script for whoever waits, and three ways to wait.
fn same_script_on_asyncio(t: Transcript) -> anyhow::Result<()> {
    play_on_all!(t, script)
}

fn script(selector: &mut impl Selector<&'static str>, log: &mut Log) -> anyhow::Result<()> {
    let mut found = Vec::new();
    let both = Interest::READABLE | Interest::WRITABLE;
    let (near, far) = socketpair()?;
    let (quiet, quiet_writer) = pipe()?;
    selector.register(&near, Interest::READABLE, "near")?;
    selector.register(&quiet, Interest::READABLE, "quiet")?;
    let twice = selector.register(&near, Interest::READABLE, "again");
    log.say(format!("register it twice:      {}", taken(&twice)));
    let nothing = selector.register(&far, Interest::NONE, "far");
    log.say(format!("wait for nothing:       {}", taken(&nothing)));
    let stranger = selector.unregister(&far);
    log.say(format!("unregister a stranger:  {}", taken(&stranger)));
    let stranger = selector.modify(&far, Interest::READABLE, "far");
    log.say(format!("modify a stranger:      {}", taken(&stranger)));

    selector.select(NOW, &mut found)?;
    log.say(format!("nobody has written:     {}", in_short(&found)));
    write(&far, b"hello")?;
    selector.select(NOW, &mut found)?;
    log.say(format!("hello came:             {}", in_short(&found)));
    selector.modify(&near, both, "near")?;
    selector.select(NOW, &mut found)?;
    log.say(format!("both directions:        {}", in_short(&found)));
    selector.modify(&near, Interest::WRITABLE, "another name")?;
    selector.select(NOW, &mut found)?;
    log.say(format!("to write, renamed:      {}", in_short(&found)));
    selector.modify(&near, Interest::READABLE, "near")?;
    read(&near, &mut [0; 16])?;
    selector.select(NOW, &mut found)?;
    log.say(format!("to read, all was read:  {}", in_short(&found)));

    drop(quiet_writer);
    selector.select(None, &mut found)?;
    log.say(format!("quiet's writer left:    {}", in_short(&found)));
    drop(far);
    selector.select(None, &mut found)?;
    log.say(format!("near's other end, too:  {}", in_short(&found)));
    selector.unregister(&quiet)?;
    selector.unregister(&near)?;
    selector.select(NOW, &mut found)?;
    log.say(format!("both are off:           {}", in_short(&found)));
    Ok(())
}

/// How something ended that Python refuses by exceptions of other names.
fn taken<T>(result: &io::Result<T>) -> &'static str {
    if result.is_ok() { "taken" } else { "refused" }
}

scene!(who_owns_what, "A selector is dropped. What is closed with it, and what is not?");
/// A loop owns its selector, and the selector owns an epoll descriptor. What is registered belongs
/// to others and stays open.
fn who_owns_what(t: Transcript) -> anyhow::Result<()> {
    say!(t, "the default selector:  {}", name_of::<DefaultSelector<()>>());
    let (poll, select) = (exported!(PollSelector), exported!(SelectSelector));
    say!(t, "also here:             {poll}, {select}");
    say!(t, "epoll descriptors:     {}", epoll_descriptors()?);
    let mut selector = DefaultSelector::new()?;
    say!(t, "a selector is made:    {}", epoll_descriptors()?);
    let (reader, writer) = pipe()?;
    selector.register(&reader, Interest::READABLE, "reader")?;
    selector.register(&writer, Interest::WRITABLE, "writer")?;
    say!(t, "two are registered:    {}", epoll_descriptors()?);
    drop(selector);
    say!(t, "the selector is gone:  {}", epoll_descriptors()?);
    say!(t, "the pipe takes a byte: {}", write(&writer, b"x")? == Written::Bytes(1));
    let server = EchoServer::bind(0)?;
    say!(t, "a loop is made:        {}", epoll_descriptors()?);
    drop(server);
    say!(t, "the loop is gone:      {}", epoll_descriptors()?);
    Ok(())
}

/// The name under which a selector is exported, which is an alias for a generic type.
macro_rules! exported {
    ($selector:ident) => {{
        let _: Option<$selector<()>> = None;
        stringify!($selector)
    }};
}
use exported;

/// The name of a type, without its path and what it is generic over.
fn name_of<T>() -> &'static str {
    let path = type_name::<T>().split('<').next().unwrap_or_default();
    path.rsplit("::").next().unwrap_or_default()
}

/// How many epoll objects this process has open.
fn epoll_descriptors() -> anyhow::Result<usize> {
    let mut count = 0;
    for entry in fs::read_dir("/proc/self/fd")? {
        // The descriptor of the listing itself is among them, and may be gone by now.
        let target = fs::read_link(entry?.path()).unwrap_or_default();
        count += usize::from(target.as_os_str() == "anon_inode:[eventpoll]");
    }
    Ok(count)
}
