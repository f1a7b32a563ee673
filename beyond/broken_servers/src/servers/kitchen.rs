//! A kitchen with a single cook. When an order arrives, a bell wakes the cook, who cooks all the
//! meals that were ordered, washes up, and then waits for the bell again.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{Event, Result, StreamReader, StreamWriter, create_task, sleep, start_unix_server};

use crate::name_this_task;

const COOKING: Duration = Duration::from_secs(1);
const WASHING_UP: Duration = Duration::from_millis(500);

/// Serves until the loop ends.
pub async fn serve(path: PathBuf) -> Result<()> {
    let kitchen = Rc::new(Kitchen::default());
    create_task(cook(Rc::clone(&kitchen)))?;
    let server = start_unix_server(
        move |reader, writer| serve_guest(Rc::clone(&kitchen), reader, writer),
        path,
    );
    server.await?.serve_forever().await
}

#[derive(Default)]
struct Kitchen {
    orders: RefCell<VecDeque<Order>>,
    /// Rings when an order arrives.
    bell: Event,
}

struct Order {
    dish: Vec<u8>,
    guest: Rc<StreamWriter>,
}

impl Kitchen {
    fn next_order(&self) -> Option<Order> {
        self.orders.borrow_mut().pop_front()
    }
}

/// Takes a guest's orders, one per line.
async fn serve_guest(
    kitchen: Rc<Kitchen>,
    mut reader: StreamReader,
    writer: StreamWriter,
) -> Result<()> {
    name_this_task("guest");
    let writer = Rc::new(writer);
    while let Some(dish) = reader.next_line().await? {
        let guest = Rc::clone(&writer);
        kitchen.orders.borrow_mut().push_back(Order { dish, guest });
        kitchen.bell.set();
    }
    Ok(())
}

async fn cook(kitchen: Rc<Kitchen>) -> Result<()> {
    name_this_task("cook");
    loop {
        kitchen.bell.wait().await?;
        while let Some(Order { dish, guest }) = kitchen.next_order() {
            sleep(COOKING).await?;
            guest.write(&dish)?;
        }
        sleep(WASHING_UP).await?;
        kitchen.bell.clear();
    }
}
