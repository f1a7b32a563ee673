//! A chat over `WebSocket`s for browsers: open the address that the program prints in two windows.
//!
//! `cargo run --example chat`
//!
//! One port serves the page, with axum. The chat has a separate port, because tungstenite does its
//! handshake on the bare connection: hyper would hand over an upgraded connection only if that
//! connection were `Send`.

mod program;

use std::cell::RefCell;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;

use async_tungstenite::accept_async;
use async_tungstenite::tungstenite::Message;
use asyncio::{Error, Queue, Result, TcpListener, TcpStream, create_task, timeout};
use axum::Router;
use axum::response::Html;
use axum::routing::get;
use ecosystem::{Io, Serve, Tower, cancellable};
use futures_util::StreamExt;

const PAGE: &str = r#"<!doctype html>
<title>Chat</title>
<h1>Chat</h1>
<form><input name="text" autofocus> <button>Say</button></form>
<ul></ul>
<script>
const chat = new WebSocket("ws://127.0.0.1:PORT/");
chat.onmessage = event => {
    const item = document.createElement("li");
    item.textContent = event.data;
    document.querySelector("ul").prepend(item);
};
document.querySelector("form").onsubmit = event => {
    event.preventDefault();
    chat.send(event.target.text.value);
    event.target.reset();
};
</script>
"#;

fn main() -> ExitCode {
    program::start(serve(program::address(8000)))
}

async fn serve(address: SocketAddr) -> Result<()> {
    let chat = TcpListener::bind(SocketAddr::new(address.ip(), 0))?;
    let chat_at = chat.local_addr()?;
    let page = PAGE.replace("PORT", &chat_at.port().to_string());
    let pages = Router::new().route("/", get(async || Html(page)));
    let listener = TcpListener::bind(address)?;
    println!("listening on http://{}/ and ws://{chat_at}/", listener.local_addr()?);
    create_task(accept(chat))?;
    Serve::default().run(listener, Tower(pages)).await
}

/// The maximum number of messages that wait for a member who isn't reading. Further messages are
/// dropped.
const ROOM: usize = 64;
/// The maximum time that a connection may take to become a WebSocket.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Default)]
struct Chat {
    members: RefCell<Vec<Rc<Queue<Message>>>>,
}

async fn accept(listener: TcpListener) -> Result<()> {
    let chat = Rc::new(Chat::default());
    loop {
        let (stream, _) = listener.accept().await?;
        let chat = Rc::clone(&chat);
        create_task(async move {
            match chat.talk_with(stream).await {
                Err(error) if error.is_cancelled() => Err(error),
                // This member's connection is lost, which doesn't concern the others.
                _ => Ok(()),
            }
        })?;
    }
}

impl Chat {
    /// Serves a member: this task receives the member's messages, and another task sends the member
    /// everyone's messages. The queue and the tasks are the loop's, and tungstenite turns bytes
    /// into messages.
    async fn talk_with(&self, stream: TcpStream) -> Result<()> {
        let handshake = cancellable(accept_async(Io::from(stream)));
        let socket = timeout(PATIENCE)?.run(handshake).await?.map_err(Error::other)?;
        let (mut to_member, mut from_member) = socket.split();
        let member = Rc::new(Queue::new(ROOM));
        self.members.borrow_mut().push(Rc::clone(&member));
        let lines = Rc::clone(&member);
        let sender = create_task(async move {
            while cancellable(to_member.send(lines.get().await?)).await?.is_ok() {}
            Ok(())
        })?;
        // The stream ends when the member says goodbye or the connection is lost.
        while let Some(Ok(message)) = cancellable(from_member.next()).await? {
            if message.is_text() {
                self.tell_all(&message);
            }
        }
        sender.cancel();
        self.members.borrow_mut().retain(|other| !Rc::ptr_eq(other, &member));
        Ok(())
    }

    fn tell_all(&self, message: &Message) {
        for member in &*self.members.borrow() {
            // This fails if the queue is full: the member isn't reading and misses the message.
            let _ = member.put_nowait(message.clone());
        }
    }
}
