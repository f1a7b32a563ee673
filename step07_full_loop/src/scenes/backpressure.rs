//! What a full queue does to its producer.

use std::rc::Rc;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step07_full_loop::{
    EventLoop, Queue, Result, VirtualClock, create_task, get_running_loop, sleep,
};

scene!(
    a_full_queue_holds_its_producer,
    "A producer has five items, and the consumer takes one per second. When is each item put?"
);
/// The queue has room for any number first, and then for two.
fn a_full_queue_holds_its_producer(t: Transcript) -> anyhow::Result<()> {
    for maxsize in [0, 2] {
        say!(t, "maxsize = {maxsize}");
        let event_loop = EventLoop::with_clock(VirtualClock::new())?;
        event_loop.run(async move {
            let queue = Rc::new(Queue::new(maxsize));
            let consumer = create_task(consume(Rc::clone(&queue)))?;
            for item in 1..=5 {
                queue.put(item).await?;
                let now = get_running_loop()?.time();
                say!(t, "  {now}: put {item}, {} in the queue", queue.qsize());
            }
            consumer.await
        })?;
    }
    Ok(())
}

async fn consume(queue: Rc<Queue<u32>>) -> Result<()> {
    for _ in 1..=5 {
        sleep(Duration::from_secs(1)).await?;
        queue.get().await?;
    }
    Ok(())
}
