        self.sweep();
        while let Some(&Entry { when, sequence }) = self.heap.peek() {
            if self.payloads.contains(sequence) {
                return Some(when - now);
            }
            self.heap.pop();
        }
        None
