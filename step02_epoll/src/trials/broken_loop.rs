//! A trial of the server's turns in a loop that is broken.

use kit::Refusal;
use scene::{Program, Transcript, say, trial};

use super::local_server::Server;
use super::{ERRORS, in_words, outcome};

/// What breaks a loop.
#[derive(Debug, Clone, Copy)]
enum Break {
    Epoll,
    Listener,
    /// The wait fails with this errno.
    Wait(i32),
    /// `accept(2)` fails with this errno. Some concern only one client, and others end in a pause.
    Accept(i32),
    /// `accept(2)` fails in a turn in which a client has spoken, too.
    AcceptAmongClients {
        listener_first: bool,
    },
    /// A client leaves, and `epoll_ctl(2)` fails with this errno.
    Deletion(i32),
}

fn breaks() -> impl Iterator<Item = Break> {
    let errors = ERRORS
        .iter()
        .flat_map(|&errno| [Break::Wait(errno), Break::Accept(errno), Break::Deletion(errno)]);
    let others = [
        Break::Epoll,
        Break::Listener,
        Break::AcceptAmongClients { listener_first: true },
        Break::AcceptAmongClients { listener_first: false },
        Break::Wait(libc::EAGAIN),
    ];
    others.into_iter().chain(errors)
}

trial!(
    a_broken_loop_fails,
    1,
    "A turn fails if the wait fails, if the listener is broken, or if a registration fails."
);
fn a_broken_loop_fails(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for what in program.verbs(breaks()) {
        let mut server = Server::start()?;
        server.connect(0)?;
        let (happens, turn) = match what {
            Break::Epoll => {
                server.replace_epoll()?;
                ("the epoll is no epoll any more".to_owned(), server.server_turn())
            }
            Break::Listener => {
                server.replace_listener()?;
                ("the listener is no socket any more".to_owned(), server.server_turn())
            }
            Break::Wait(errno) => {
                let refusals = Refusal::of_epoll_waits(errno);
                let turn = Refusal::all_during(&refusals, || server.server_turn())?;
                (format!("the wait says \"{}\"", in_words(errno)), turn)
            }
            Break::Accept(errno) => {
                let refusals = [libc::SYS_accept4, libc::SYS_accept];
                let refusals = refusals.map(|call| Refusal { call, argument: None, errno });
                let turn = Refusal::all_during(&refusals, || server.server_turn())?;
                (format!("a client connects, and accept says \"{}\"", in_words(errno)), turn)
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
                let turn = Refusal::all_during(&refusals, || server.server_turn())?;
                let first = if listener_first { "before" } else { "after" };
                (format!("{first} a client speaks, another connects, and accept fails"), turn)
            }
            Break::Deletion(errno) => {
                let _ = server.turn()?;
                server.leave(0)?;
                let refusal = Refusal { call: libc::SYS_epoll_ctl, argument: None, errno };
                let turn = refusal.during(|| server.server_turn())?;
                (format!("a client leaves, and epoll_ctl says \"{}\"", in_words(errno)), turn)
            }
        };
        say!(t, "{happens}; turn: {}", outcome(turn));
    }
    Ok(())
}
