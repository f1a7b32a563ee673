//! The system calls of each way to serve, to connect and to listen, and their names in errors.

use libc::EAGAIN;

use crate::stage::Kind;

/// A system call and its name in an error.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) number: libc::c_long,
    /// The second argument, if it matters.
    pub(crate) argument: Option<i32>,
    pub(crate) says: &'static str,
    /// The error that the kernel never gives here.
    pub(crate) never: Option<i32>,
}

const fn call(name: &'static str, number: libc::c_long, says: &'static str) -> Call {
    Call { name, number, argument: None, says, never: None }
}

/// The call for an edge-triggered descriptor: Linux doesn't block it if there's something to read
/// or to accept, or room to write.
const fn edge(call: Call) -> Call {
    Call { never: Some(EAGAIN), ..call }
}

const fn epoll_ctl(name: &'static str, operation: i32) -> Call {
    Call { argument: Some(operation), ..call(name, libc::SYS_epoll_ctl, name) }
}

const ADD: Call = epoll_ctl("epoll_ctl ADD", libc::EPOLL_CTL_ADD);
const MOD: Call = epoll_ctl("epoll_ctl MOD", libc::EPOLL_CTL_MOD);
const DEL: Call = epoll_ctl("epoll_ctl DEL", libc::EPOLL_CTL_DEL);
const ACCEPT: Call = call("accept4", libc::SYS_accept4, "accept fd ");
const RECV: Call = call("recv", libc::SYS_recvfrom, "recv fd ");
const SEND: Call = call("send", libc::SYS_sendto, "send fd ");
/// The call with which an outbox sends the rest when there's room again.
const WRITE: Call = call("write", libc::SYS_write, "write fd ");
const SHUTDOWN: Call = call("shutdown", libc::SYS_shutdown, "shutdown SHUT_WR");
const FCNTL: Call = call("fcntl", libc::SYS_fcntl, "fcntl ");
const SETSOCKOPT: Call = call("setsockopt", libc::SYS_setsockopt, "setsockopt TCP_NODELAY");
const GETPEERNAME: Call = call("getpeername", libc::SYS_getpeername, "");
const SOCKET: Call = call("socket", libc::SYS_socket, "socket");
const BIND: Call = call("bind", libc::SYS_bind, "bind to ");
const LISTEN: Call = call("listen", libc::SYS_listen, "listen fd ");
const REUSE: Call = Call { says: "bind to 127.0.0.1:0", ..SETSOCKOPT };
/// A `connect` goes on after a signal, whereas a refused `connect` doesn't.
const CONNECT: Call = Call {
    never: Some(libc::EINTR),
    ..call("connect", libc::SYS_connect, "connect to 127.0.0.1:")
};
const CONNECT_TO_PATH: Call = call("connect", libc::SYS_connect, "connect to /");
/// The call of a datagram socket, which tries all addresses and names them.
const CONNECT_ALL: Call = Call { says: "connect to [127.0.0.1:", ..CONNECT };
const VERDICT: Call = call("getsockopt", libc::SYS_getsockopt, "connect to 127.0.0.1:");
/// The attempt's registration stays, so the connection's registration is refused.
const DEL_OF_AN_ATTEMPT: Call = Call { says: "epoll_ctl ADD fd ", ..DEL };
const PEER: Call = Call { says: "connect to 127.0.0.1:", ..GETPEERNAME };
const SENDTO: Call = edge(call("sendto", libc::SYS_sendto, "send"));
const RECVFROM: Call = edge(call("recvfrom", libc::SYS_recvfrom, "recv"));

/// std makes a listener with several calls, and an error names them all.
const fn of_bind(call: Call) -> Call {
    Call { says: BIND.says, ..call }
}

/// Returns the calls for a client that's served.
pub(crate) fn of_serving(kind: Kind) -> Vec<Call> {
    match kind {
        Kind::Streams => {
            vec![ACCEPT, SETSOCKOPT, ADD, edge(RECV), edge(SEND), edge(WRITE), SHUTDOWN, DEL]
        }
        Kind::Protocols => vec![
            ACCEPT,
            FCNTL,
            SETSOCKOPT,
            GETPEERNAME,
            ADD,
            edge(RECV),
            edge(SEND),
            edge(WRITE),
            MOD,
            SHUTDOWN,
            DEL,
        ],
        Kind::StreamsAtPath => {
            vec![ACCEPT, ADD, edge(RECV), edge(SEND), edge(WRITE), SHUTDOWN, DEL]
        }
        Kind::Tcp | Kind::Unix => {
            vec![edge(ACCEPT), FCNTL, ADD, edge(RECV), edge(SEND), SHUTDOWN, DEL]
        }
        // The unregistered socket stays open, and then DEL never fails.
        Kind::Sock => vec![ACCEPT, ADD, RECV, SEND],
    }
}

pub(crate) fn of_connecting(kind: Kind) -> Vec<Call> {
    match kind {
        Kind::Streams => vec![SOCKET, CONNECT, ADD, VERDICT, PEER, DEL_OF_AN_ATTEMPT, SETSOCKOPT],
        Kind::Protocols => {
            vec![SOCKET, CONNECT, ADD, VERDICT, PEER, DEL_OF_AN_ATTEMPT, FCNTL, SETSOCKOPT]
        }
        Kind::Tcp => vec![SOCKET, CONNECT, ADD, VERDICT, PEER, DEL_OF_AN_ATTEMPT],
        Kind::StreamsAtPath | Kind::Unix => vec![SOCKET, CONNECT_TO_PATH, ADD, DEL],
        Kind::Sock => {
            const NAMED: &str = "connect fd ";
            vec![Call { says: NAMED, ..CONNECT }, ADD, Call { says: NAMED, ..VERDICT }, DEL]
        }
    }
}

pub(crate) fn of_listening(kind: Kind) -> Vec<Call> {
    match kind {
        Kind::Streams => vec![SOCKET, REUSE, BIND, LISTEN, ADD, DEL],
        Kind::StreamsAtPath => vec![SOCKET, BIND, LISTEN, ADD, DEL],
        Kind::Tcp => {
            vec![of_bind(SOCKET), of_bind(SETSOCKOPT), BIND, of_bind(LISTEN), FCNTL, ADD, DEL]
        }
        // std's listener leaves its file if listen(2) fails, which never happens here.
        Kind::Unix => vec![of_bind(SOCKET), BIND, FCNTL, ADD, DEL],
        Kind::Protocols | Kind::Sock => vec![],
    }
}

pub(crate) const OF_DATAGRAMS: [Call; 8] =
    [of_bind(SOCKET), BIND, FCNTL, ADD, CONNECT_ALL, SENDTO, RECVFROM, DEL];
