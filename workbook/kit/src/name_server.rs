//! An unreliable name server for programs that look up names.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::thread;
use std::time::Duration;

/// Starts a name server on a thread and returns its address. The server runs until the process
/// exits.
///
/// The server knows the IPv4 addresses of `host1.example` to `host19.example`, which are 192.0.2.1
/// to 192.0.2.19. The server loses every fifth question. Whenever nothing has arrived for 10 ms, it
/// answers the latest of the remaining questions.
///
/// Fails if `bind(2)` fails.
pub fn start_name_server() -> io::Result<SocketAddr> {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    let address = socket.local_addr()?;
    thread::spawn(move || serve(&socket));
    Ok(address)
}

fn serve(socket: &UdpSocket) -> io::Result<()> {
    let (mut buffer, mut received, mut questions) = ([0; 512], 0_u64, Vec::new());
    loop {
        socket.set_read_timeout((!questions.is_empty()).then_some(Duration::from_millis(10)))?;
        match socket.recv_from(&mut buffer) {
            Ok((count, client)) => {
                received += 1;
                if received % 5 > 0 {
                    questions.push((buffer[..count].to_vec(), client));
                }
            }
            // Nothing has arrived for 10 ms.
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                if let Some((question, client)) = questions.pop() {
                    socket.send_to(&answer(question), client)?;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns the answer to a question, in the format of RFC 1035, section 4.
fn answer(mut packet: Vec<u8>) -> Vec<u8> {
    let number = number_in(&packet);
    if let Some(flags) = packet.get_mut(2) {
        *flags |= 0x80;
    }
    if let Some(number @ 1..20) = number {
        // Add one record. Its name is a pointer to the question's name, followed by the type A, the
        // internet class, a time to live of a minute, and a length of four bytes.
        packet[7] = 1;
        packet.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, number]);
    } else if let Some(code) = packet.get_mut(3) {
        // The name doesn't exist.
        *code |= 3;
    }
    packet
}

/// Returns the number in a name, such as 7 in `host7.example`. The name comes after the twelve-byte
/// header, and each of its labels is preceded by its length.
fn number_in(question: &[u8]) -> Option<u8> {
    let name = question.get(12..)?;
    let (host, rest) = name.get(1..)?.split_at_checked((*name.first()?).into())?;
    let number = str::from_utf8(host).ok()?.strip_prefix("host")?.parse().ok()?;
    rest.starts_with(b"\x07example\0").then_some(number)
}
