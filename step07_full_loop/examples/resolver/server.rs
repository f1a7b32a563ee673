//! A name server for `host1.example` to `host19.example`, no better than the internet.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use step07_full_loop::{Result, UdpSocket, create_task, sleep};

/// Starts the server on a port of its own.
pub(crate) fn start() -> Result<SocketAddr> {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0")?;
    let address = socket.local_addr()?;
    create_task(serve(Rc::new(UdpSocket::from_std(socket)?)))?;
    Ok(address)
}

/// Loses the first question about each fifth name, and answers the others in the opposite order.
async fn serve(socket: Rc<UdpSocket>) -> Result<()> {
    let (mut buffer, mut lost) = ([0; 512], HashSet::new());
    loop {
        let (count, client) = socket.recv_from(&mut buffer).await?;
        let Some((packet, number)) = answer(&buffer[..count]) else { continue };
        if number % 5 == 0 && lost.insert(number) {
            continue;
        }
        let (socket, delay) = (Rc::clone(&socket), 10 * u64::from(25 - number.min(25)));
        create_task(async move {
            sleep(Duration::from_millis(delay)).await?;
            socket.send_to(&packet, client).await
        })?;
    }
}

/// Turns a question into its answer, and returns it with the number in the name.
fn answer(question: &[u8]) -> Option<(Vec<u8>, u8)> {
    let mut packet = question.to_vec();
    *packet.get_mut(2)? |= 0x80;
    let (_, name, _) = crate::dns::answer(&packet).ok()?;
    let number = name.strip_prefix("host")?.strip_suffix(".example")?.parse().ok()?;
    if (1..20).contains(&number) {
        packet[7] = 1;
        // Its name is a pointer to the question's, then come A, the class, a minute, four bytes.
        packet.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, number]);
    } else {
        // There's no such name.
        packet[3] |= 3;
    }
    Some((packet, number))
}
