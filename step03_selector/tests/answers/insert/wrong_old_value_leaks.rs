        let index = index as usize;
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, || None);
        }
        self.generation = self.generation.wrapping_add(1);
        let slot = Some(Slot { generation: self.generation, value });
        std::mem::forget(std::mem::replace(&mut self.slots[index], slot));
