        // expect: after that:          3 waiting, 3 in the heap
        if self.payloads.contains(id.sequence) {
            self.heap.reserve(1);
        }
        None
