        // expect: 2 waiting, 1 in the heap
        self.heap.pop();
        self.values.take(id.sequence)
