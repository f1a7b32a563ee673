        // expect: 2 waiting, 1 in the heap
        self.heap.pop();
        self.payloads.take(id.sequence)
