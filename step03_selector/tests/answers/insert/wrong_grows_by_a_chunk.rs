        /// The step in which the table grows: doubling it would waste up to half of its memory.
        const CHUNK: usize = 1024;
        let index = index as usize;
        if index >= self.slots.len() {
            if index >= self.slots.capacity() {
                let room = (index + 1).next_multiple_of(CHUNK);
                self.slots.reserve_exact(room - self.slots.len());
            }
            self.slots.resize_with(index + 1, || None);
        }
        self.generation = self.generation.wrapping_add(1);
        self.slots[index] = Some(Slot { generation: self.generation, value });
