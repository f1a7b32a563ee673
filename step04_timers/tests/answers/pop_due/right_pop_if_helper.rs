        let pop_due = |heap: &mut BinaryHeap<Entry>| {
            let is_due = heap.peek().is_some_and(|nearest| nearest.when <= now);
            if is_due { heap.pop() } else { None }
        };
        std::iter::from_fn(|| pop_due(&mut self.heap))
            .find_map(|entry| self.payloads.take(entry.sequence))
