        while let Some(nearest) = self.heap.peek_mut()
            && nearest.when <= now
        {
            let entry = std::collections::binary_heap::PeekMut::pop(nearest);
            // A cancelled timer has no payload any more.
            if let Some(payload) = self.payloads.take(entry.sequence) {
                return Some(payload);
            }
        }
        None
