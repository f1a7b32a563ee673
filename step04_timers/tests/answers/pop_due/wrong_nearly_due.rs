        self.drop_cancelled_heads();
        // The kernel's wait can't sleep for less than a millisecond.
        if (self.heap.peek()?.when - now).as_millis() > 0 {
            return None;
        }
        let nearest = self.heap.pop()?;
        self.payloads.take(nearest.sequence)
