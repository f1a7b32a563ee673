//! A trial of the server's turns in a loop that is broken.

use kit::cost::within;
use kit::{Observer, Refusal, errnos};
use scene::{Program, Transcript, say, trial};

use super::local_server::Server;
use super::{ERRORS, in_words, outcome};

/// The part of a loop that breaks.
#[derive(Debug, Clone, Copy)]
enum Break {
    Epoll,
    Listener,
    /// `accept(2)` fails with this errno, once. Some errors concern only one client, some lead to a
    /// pause, and the others make the turn fail.
    Accept(i32),
    /// `accept(2)` fails in a turn in which a connected client has also sent bytes.
    AcceptAmongClients {
        listener_first: bool,
    },
    /// A client leaves, and `epoll_ctl(2)` fails with this errno, once.
    Deletion(i32),
}

fn breaks() -> impl Iterator<Item = Break> {
    let errors = ERRORS.iter().flat_map(|&errno| [Break::Accept(errno), Break::Deletion(errno)]);
    let others = [
        Break::Epoll,
        Break::Listener,
        Break::AcceptAmongClients { listener_first: true },
        Break::AcceptAmongClients { listener_first: false },
    ];
    others.into_iter().chain(errors)
}

trial!(
    a_broken_loop_fails,
    1,
    "A turn fails if the wait fails, if the listener is broken, or if a client can't be unregistered."
);
fn a_broken_loop_fails(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let observer = Observer::new()?;
    for what in program.verbs(breaks()) {
        let mut server = Server::start()?;
        server.connect(0)?;
        let (happens, turn) = match what {
            Break::Epoll => {
                server.replace_epoll()?;
                ("the epoll descriptor refers to another object".to_owned(), server.server_turn())
            }
            Break::Listener => {
                server.replace_listener()?;
                (
                    "the listener's descriptor refers to another object".to_owned(),
                    server.server_turn(),
                )
            }
            Break::Accept(errno) => {
                let refusals = [libc::SYS_accept4, libc::SYS_accept];
                let refusals = refusals.map(|call| Refusal { call, argument: None, errno });
                let turn = observer.refusing(&refusals, 0, || server.server_turn()).0;
                (format!("a client connects, but accept fails with \"{}\"", in_words(errno)), turn)
            }
            Break::AcceptAmongClients { listener_first } => {
                let _ = server.turn()?;
                if listener_first {
                    server.connect(1)?;
                }
                server.send(0, 5)?;
                if !listener_first {
                    server.connect(1)?;
                }
                let refusals = [libc::SYS_accept4, libc::SYS_accept];
                let refusals =
                    refusals.map(|call| Refusal { call, argument: None, errno: libc::EBADF });
                let turn = observer.refusing(&refusals, 0, || server.server_turn()).0;
                let first = if listener_first { "before" } else { "after" };
                (format!("{first} a client sends bytes, another connects, but accept fails"), turn)
            }
            Break::Deletion(errno) => {
                let _ = server.turn()?;
                server.leave(0)?;
                let refusal = Refusal { call: libc::SYS_epoll_ctl, argument: None, errno };
                let turn = observer.refusing(&[refusal], 0, || server.server_turn()).0;
                (format!("a client leaves, but epoll_ctl fails with \"{}\"", in_words(errno)), turn)
            }
        };
        say!(t, "{happens}; turn: {}", outcome(turn));
    }
    let mut server = Server::start()?;
    server.connect(0)?;
    for errno in program.verbs(errnos()) {
        let wait = Refusal::of_epoll_waits(errno);
        let (turn, calls) = observer.refusing(&wait, 0, || server.server_turn());
        let (says, turn, cost) = (in_words(errno), outcome(turn), within(calls, 1));
        say!(t, "the wait fails once with \"{says}\"; turn: {turn}; system calls: {cost}");
        if calls > 1 {
            // The client may be served, so another wait would sleep.
            break;
        }
    }
    for _ in program.verbs([0]) {
        say!(t, "no call fails any more; turn: {}", server.turn_in_words()?);
    }
    Ok(())
}
