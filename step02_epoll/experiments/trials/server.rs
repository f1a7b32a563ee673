//! Trials of the server's turns: several clients, in one thread with the server.

use std::fmt;

use kit::{Sleeper, count_signals, without_free_descriptors};
use scene::{Program, Random, Transcript, say, trial};

use super::local_server::Server;
use super::outcome;

/// An action of one of four clients, or a turn of the server.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Connect(usize),
    Send(usize, usize),
    ShutDown(usize),
    Leave(usize),
    Turn,
    TurnWithoutRoom,
}

impl Verb {
    fn random(random: &mut Random) -> Verb {
        let client = random.below(4);
        match random.below(13) {
            0..3 => Verb::Connect(client),
            3..7 => Verb::Send(client, random.choose(&[1, 5, 300])),
            7 => Verb::ShutDown(client),
            8 => Verb::Leave(client),
            9 => Verb::TurnWithoutRoom,
            _ => Verb::Turn,
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::Connect(client) => write!(f, "client {client} connects"),
            Verb::Send(client, count) => write!(f, "client {client} sends {count} bytes"),
            Verb::ShutDown(client) => write!(f, "client {client} shuts down its writing side"),
            Verb::Leave(client) => write!(f, "client {client} leaves"),
            Verb::Turn => f.write_str("turn"),
            Verb::TurnWithoutRoom => f.write_str("turn, while no socket takes a byte"),
        }
    }
}

trial!(
    clients_in_any_order,
    30,
    "A turn accepts new clients, answers clients that have sent bytes, and closes connections that have ended."
);
fn clients_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let first = [Verb::Connect(0), Verb::Connect(1), Verb::Turn];
    let others = (0..20).map(|_| Verb::random(&mut random));
    let verbs = program.verbs(first.into_iter().chain(others));
    let mut server = Server::start()?;
    for verb in verbs {
        let did = match verb {
            Verb::Connect(client) => server.connect(client)?,
            Verb::Send(client, count) => server.send(client, count)?,
            Verb::ShutDown(client) => server.shut_down(client)?,
            Verb::Leave(client) => server.leave(client)?,
            Verb::Turn => {
                say!(t, "{verb}: {}", server.turn_in_words()?);
                continue;
            }
            Verb::TurnWithoutRoom => {
                say!(t, "{verb}: {}", server.turn_without_room_in_words()?);
                continue;
            }
        };
        if did {
            say!(t, "{verb}");
        }
    }
    Ok(())
}

trial!(
    accepting_goes_on_after_a_pause,
    1,
    "If the server runs out of descriptors, it pauses accepting, and its next turn ends the pause."
);
/// The first client's message ends the pause, so the trial doesn't have to sleep through it.
fn accepting_goes_on_after_a_pause(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let _ = program.verbs([()]);
    let mut server = Server::start()?;
    server.connect(0)?;
    say!(t, "client 0 connects; turn: {}", server.turn_in_words()?);
    server.connect(1)?;
    let turn = without_free_descriptors(|| server.server_turn())?;
    say!(t, "client 1 connects, but no descriptor is free; turn: {}", outcome(turn));
    server.send(0, 5)?;
    say!(
        t,
        "descriptors are free again, client 0 sends 5 bytes; turn: {}",
        server.turn_in_words()?
    );
    say!(t, "turn: {}", server.turn_in_words()?);

    count_signals()?;
    let mut server = Server::start()?;
    server.connect(0)?;
    let turn = without_free_descriptors(|| server.server_turn())?;
    say!(t, "the only client connects, but no descriptor is free; turn: {}", outcome(turn));
    let sleeper = Sleeper::start(move || outcome(server.server_turn()))?;
    sleeper.wait_until_asleep()?;
    let slept = if sleeper.is_finished() {
        "doesn't sleep".to_owned()
    } else {
        match sleeper.timeout()? {
            Some(time) => format!("sleeps for at most {time:?}"),
            None => "sleeps until something happens".to_owned(),
        }
    };
    say!(t, "no other client connects; turn: {slept}; after a signal: {}", sleeper.interrupted()?);
    Ok(())
}

trial!(
    a_crowd_is_served_in_one_turn,
    1,
    "A turn serves all clients whose events fit into its Events, few or many."
);
fn a_crowd_is_served_in_one_turn(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for (crowd, room) in program.verbs([(5, 1), (5, 3), (70, 70)]) {
        let mut server = Server::with_room_for(room)?;
        for part in [0..crowd - 3, crowd - 3..crowd] {
            let count = part.len();
            for client in part {
                server.connect(client)?;
            }
            let turn = server.turn_in_numbers()?;
            say!(t, "{count} clients connect; turn with capacity {room}: {turn}");
        }
        for client in 0..crowd {
            server.send(client, 5)?;
        }
        say!(t, "each client sends 5 bytes; turn: {}", server.turn_in_numbers()?);
    }
    Ok(())
}
