//! Behaviour that CPython's `selectors` shares: these scenes have twins in `tests/python/twins/`.

use std::any::type_name;
use std::fs;
use std::io;
use std::time::Duration;

use anyhow::bail;
use scene::{Transcript, say, scene};
use step01_fd::{Written, pipe, read, socketpair, write};
use step03_selector::{
    DefaultSelector, EchoServer, Interest, PollSelector, SelectSelector, Selector,
};

use super::backends::{Log, in_short, play_on_all};

const NOW: Option<Duration> = Some(Duration::ZERO);

scene!(
    same_script_on_asyncio,
    "One script runs on epoll, poll(2) and select(2). Does it print the same lines on each of them?"
);
/// `on poll(2): the same lines`, and on select(2) as well. Each refusal comes from the selector
/// itself, by the same rules on all three backends, before it asks the kernel. The registrations
/// are level-triggered everywhere, so `quiet`, whose writer has gone, is reported again next time:
/// `far closes:                 [near READABLE], [quiet READABLE]`. CPython's selectors print the
/// same lines.
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
    say!(log, "register near twice:        {}", accepted(&twice));
    let nothing = selector.register(&far, Interest::NONE, "far");
    say!(log, "register far for nothing:   {}", accepted(&nothing));
    let unknown = selector.unregister(&far);
    say!(log, "unregister far:             {}", accepted(&unknown));
    let unknown = selector.modify(&far, Interest::READABLE, "far");
    say!(log, "modify far:                 {}", accepted(&unknown));

    selector.select(NOW, &mut found)?;
    say!(log, "nothing is written:         {}", in_short(&found));
    write(&far, b"hello")?;
    selector.select(NOW, &mut found)?;
    say!(log, "far writes:                 {}", in_short(&found));
    selector.modify(&near, both, "near")?;
    selector.select(NOW, &mut found)?;
    say!(log, "near, both directions:      {}", in_short(&found));
    selector.modify(&near, Interest::WRITABLE, "renamed")?;
    selector.select(NOW, &mut found)?;
    say!(log, "near, WRITABLE, renamed:    {}", in_short(&found));
    selector.modify(&near, Interest::READABLE, "near")?;
    read(&near, &mut [0; 16])?;
    selector.select(NOW, &mut found)?;
    say!(log, "near, READABLE, all read:   {}", in_short(&found));

    drop(quiet_writer);
    selector.select(None, &mut found)?;
    say!(log, "quiet's writer closes:      {}", in_short(&found));
    drop(far);
    selector.select(None, &mut found)?;
    say!(log, "far closes:                 {}", in_short(&found));
    selector.unregister(&quiet)?;
    selector.unregister(&near)?;
    selector.select(NOW, &mut found)?;
    say!(log, "both are unregistered:      {}", in_short(&found));
    Ok(())
}

/// Says whether a call was accepted or refused. It leaves out the error, because Python's
/// exceptions are named differently.
fn accepted<T>(result: &io::Result<T>) -> &'static str {
    if result.is_ok() { "accepted" } else { "refused" }
}

scene!(
    a_dropped_selector,
    "A selector is dropped. Is its epoll descriptor closed, and is a registered pipe closed with it?"
);
/// `the selector is gone:  0`: the selector owns its epoll object, so the epoll object is closed
/// with the selector, and its list goes, too. But the selector has only borrowed the pipe, and
/// `bytes the pipe takes:    1` shows that both of the pipe's ends are still open. The server's
/// loop owns its selector and closes it in the same way. In Python you call `close()` for that, on
/// a selector or on asyncio's loop.
fn a_dropped_selector(t: Transcript) -> anyhow::Result<()> {
    say!(t, "the default selector:    {}", name_of::<DefaultSelector<()>>());
    let (poll, select) = (exported!(PollSelector), exported!(SelectSelector));
    say!(t, "the others:              {}, {}", poll, select);
    say!(t, "epoll descriptors:       {}", epoll_descriptors()?);
    let mut selector = DefaultSelector::new()?;
    say!(t, "  a selector is made:    {}", epoll_descriptors()?);
    let (reader, writer) = pipe()?;
    selector.register(&reader, Interest::READABLE, "reader")?;
    selector.register(&writer, Interest::WRITABLE, "writer")?;
    say!(t, "  a pipe is registered:  {}", epoll_descriptors()?);
    drop(selector);
    say!(t, "  the selector is gone:  {}", epoll_descriptors()?);
    let Written::Bytes(taken) = write(&writer, b"x")? else { bail!("the pipe is full") };
    say!(t, "bytes the pipe takes:    {}", taken);
    say!(t, "epoll descriptors");
    let server = EchoServer::bind(0)?;
    say!(t, "  a loop is made:        {}", epoll_descriptors()?);
    drop(server);
    say!(t, "  the loop is gone:      {}", epoll_descriptors()?);
    Ok(())
}

/// Returns the name under which a selector is exported, an alias of a generic type.
macro_rules! exported {
    ($selector:ident) => {{
        let _: Option<$selector<()>> = None;
        stringify!($selector)
    }};
}
use exported;

/// Returns the name of a type, without its path and its parameters.
fn name_of<T>() -> &'static str {
    let path = type_name::<T>().split('<').next().unwrap_or_default();
    path.rsplit("::").next().unwrap_or_default()
}

/// Counts the epoll descriptors that this process has open.
fn epoll_descriptors() -> anyhow::Result<usize> {
    let mut count = 0;
    for entry in fs::read_dir("/proc/self/fd")? {
        // A descriptor that another thread has closed by now doesn't count.
        let target = fs::read_link(entry?.path()).unwrap_or_default();
        count += usize::from(target.as_os_str() == "anon_inode:[eventpoll]");
    }
    Ok(count)
}
