//! Addresses of both families, for servers and for clients. A test that needs IPv6 says so on a
//! machine without IPv6 and leaves it at that.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;

use crate::test;
use asyncio::{
    Address, EventLoop, EventLoopExt as _, Protocol, Result, Server, StreamReader, StreamWriter,
    Transport, get_running_loop, open_connection, start_server,
};
use kit::{Observer, Refusal, limit_time};
use rustix::net::sockopt::ipv6_v6only;
use rustix::net::{AddressFamily, SocketType};

/// Returns false and prints the reason if this machine has no IPv6.
fn has_ipv6(test: &str) -> bool {
    match std::net::TcpListener::bind("[::1]:0") {
        Ok(_) => true,
        Err(error) => {
            println!("{test} is skipped: this machine has no IPv6 (bind to [::1]:0: {error})");
            false
        }
    }
}

async fn greet(_reader: StreamReader, writer: StreamWriter) -> Result<()> {
    writer.write(b"hello")
}

async fn is_greeted(address: SocketAddr) -> Result<bool> {
    let (mut reader, _writer) = open_connection(address).await?;
    Ok(reader.read_to_end().await? == b"hello")
}

fn ips(server: &Server) -> Vec<IpAddr> {
    server.local_addrs().unwrap().iter().map(SocketAddr::ip).collect()
}

const ANY: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::UNSPECIFIED), IpAddr::V6(Ipv6Addr::UNSPECIFIED)];

#[test]
fn a_server_without_a_host_listens_on_all_addresses_of_both_families() {
    if !has_ipv6("a_server_without_a_host") {
        return;
    }
    for address in [Address::from(("", 0)), Address::from(":0")] {
        test(async {
            let server = start_server(greet, address).await?;
            assert_eq!(ips(&server), ANY);
            let ports: Vec<u16> = server.local_addrs()?.iter().map(SocketAddr::port).collect();
            assert!(is_greeted((Ipv4Addr::LOCALHOST, ports[0]).into()).await?);
            assert!(is_greeted((Ipv6Addr::LOCALHOST, ports[1]).into()).await?);
            Ok(())
        });
    }
}

#[test]
fn a_socket_of_ipv6_leaves_the_ports_of_ipv4_alone() {
    if !has_ipv6("a_socket_of_ipv6") {
        return;
    }
    test(async {
        for address in ["[::]:0", "[::1]:0"] {
            let server = start_server(greet, address).await?;
            assert!(ipv6_v6only(&server.sockets()[0]).unwrap(), "{address}");
        }
        Ok(())
    });
}

#[test]
fn a_server_listens_on_all_its_hosts_and_on_each_of_them_once() {
    test(async {
        let hosts = ["127.0.0.1", "127.0.0.2", "127.0.0.1"];
        let server = start_server(greet, (hosts, 0)).await?;
        assert_eq!(ips(&server), [Ipv4Addr::LOCALHOST, Ipv4Addr::new(127, 0, 0, 2)]);
        for address in server.local_addrs()? {
            assert!(is_greeted(address).await?);
        }
        Ok(())
    });
    if has_ipv6("a_server_with_hosts_of_both_families") {
        test(async {
            let server = start_server(greet, (["::1", "127.0.0.1"], 0)).await?;
            for address in server.local_addrs()? {
                assert!(is_greeted(address).await?);
            }
            assert_eq!(
                ips(&server),
                [IpAddr::from(Ipv6Addr::LOCALHOST), Ipv4Addr::LOCALHOST.into()]
            );
            Ok(())
        });
    }
}

/// Starts a server while the kernel refuses a call. Returns its addresses, or its error.
fn started(refusal: Refusal, host: &'static str) -> std::result::Result<Vec<IpAddr>, String> {
    limit_time();
    let start = || {
        let event_loop = EventLoop::new().unwrap();
        let start = async move { Ok(ips(&start_server(greet, (host, 0)).await?)) };
        let started = event_loop.run_until_complete(start);
        event_loop.close().unwrap();
        started.map_err(|error| error.to_string())
    };
    Observer::new().unwrap().refusing(&[refusal], 0, start).0
}

#[test]
fn a_family_that_the_machine_does_not_have_is_left_out_unless_it_is_the_only_one() {
    if !has_ipv6("a_family_that_the_machine_does_not_have") {
        return;
    }
    let family = |family: i32| Some((0, family.cast_unsigned()));
    let (socket, errno) = (libc::SYS_socket, libc::EAFNOSUPPORT);
    let no_ipv6 = Refusal { call: socket, argument: family(libc::AF_INET6), errno };
    assert_eq!(started(no_ipv6, "").unwrap(), ANY[..1]);
    let error = started(no_ipv6, "::1").unwrap_err();
    assert!(error.ends_with("Address family not supported by protocol (os error 97)"), "{error}");
    let no_ipv4 = Refusal { argument: family(libc::AF_INET), ..no_ipv6 };
    assert_eq!(started(no_ipv4, "").unwrap(), ANY[1..]);
    let bind = Refusal { call: libc::SYS_bind, argument: None, errno: libc::EADDRNOTAVAIL };
    assert_eq!(started(bind, "").unwrap(), ANY[1..]);
    let in_use = Refusal { errno: libc::EADDRINUSE, ..bind };
    let error = started(in_use, "").unwrap_err();
    assert_eq!(error, "bind to 0.0.0.0:0: Address already in use (os error 98)");
}

struct Silent;

impl Protocol for Silent {}

/// Connects a transport and returns the address of its peer.
async fn connected(address: impl Into<Address>) -> Result<Option<SocketAddr>> {
    let event_loop = get_running_loop()?;
    let (transport, _) = event_loop.create_connection(|| Silent, address).await?;
    let peer = transport.peer_addr();
    Transport::close(&transport);
    Ok(peer)
}

#[test]
fn create_connection_connects_by_ipv6() {
    if !has_ipv6("create_connection_connects_by_ipv6") {
        return;
    }
    test(async {
        let server = get_running_loop()?.create_server(|| Silent, "[::1]:0").await?;
        let address = server.local_addrs()?[0];
        assert_eq!(connected(address).await?, Some(address));
        assert_eq!(connected(("::1", address.port())).await?, Some(address));
        assert_eq!(connected(("", address.port())).await?, Some(address));
        Ok(())
    });
}

/// Takes an address without listening on it, if the address is free.
fn hold(address: SocketAddr) -> Option<OwnedFd> {
    let socket = rustix::net::socket(AddressFamily::INET6, SocketType::STREAM, None).ok()?;
    rustix::net::bind(&socket, &address).ok()?;
    Some(socket)
}

#[test]
fn a_client_of_no_host_connects_to_this_machine_by_either_family() {
    test(async {
        let server = start_server(greet, "127.0.0.1:0").await?;
        let port = server.local_addrs()?[0].port();
        // The same port on IPv6 comes first, and no server can listen on it.
        let _held = hold((Ipv6Addr::LOCALHOST, port).into());
        for address in [Address::from(("", port)), format!(":{port}").into()] {
            let (mut reader, _writer) = open_connection(address).await?;
            assert_eq!(reader.read_to_end().await?, b"hello");
        }
        Ok(())
    });
}
