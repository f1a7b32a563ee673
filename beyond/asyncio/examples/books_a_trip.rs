//! A trip that's given up and paid for all the same.
//!
//! `cargo run -p asyncio --example books_a_trip`, or the same with `-- group` at the end.

use std::time::Duration;

use asyncio::{Error, LoopResult, Result, TaskGroup, gather, run, sleep};

fn main() -> LoopResult<()> {
    let in_a_group = std::env::args().any(|argument| argument == "group");
    run(async move {
        let trip = if in_a_group { book_in_a_group().await } else { book_all().await };
        match trip {
            Ok(bookings) => println!("Booked: {}. Have a good trip!", bookings.join(", ")),
            Err(error) => println!("No trip: {error}. Nothing is booked."),
        }
        // The program has other things to do.
        sleep(Duration::from_millis(1500)).await
    })
}

// ANCHOR: book_all
/// Books a car, a hotel and a flight at the same time.
async fn book_all() -> Result<Vec<&'static str>> {
    gather([book("a car", 500, 0), book("a hotel", 1000, 480), book("a flight", 1500, 320)])?.await
}

/// The answer takes some milliseconds. A booking that succeeds is paid for.
async fn book(what: &'static str, milliseconds: u64, price: u32) -> Result<&'static str> {
    sleep(Duration::from_millis(milliseconds)).await?;
    if what == "a car" {
        return Err(Error::other("there's no car left"));
    }
    println!("  {what}: paid {price}");
    Ok(what)
}
// ANCHOR_END: book_all

// ANCHOR: book_in_a_group
/// The same, but if one booking fails, the others are cancelled.
async fn book_in_a_group() -> Result<Vec<&'static str>> {
    let group = TaskGroup::new();
    let bookings = group.run(async {
        let car = group.create_task(book("a car", 500, 0))?;
        let hotel = group.create_task(book("a hotel", 1000, 480))?;
        let flight = group.create_task(book("a flight", 1500, 320))?;
        Ok([car, hotel, flight])
    });
    let [car, hotel, flight] = bookings.await?;
    Ok(vec![car.await?, hotel.await?, flight.await?])
}
// ANCHOR_END: book_in_a_group
