        // expect: it is empty now: 3 waiting, 3 in the heap
        if self.values.contains(id.sequence) {
            self.heap.reserve(1);
        }
        None
