        let index = index as usize;
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, || None);
        }
        self.generation = self.generation.wrapping_add(1);
        let generation = self.generation;
        self.slots[index].get_or_insert(Slot { generation, value });
