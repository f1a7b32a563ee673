        let index = index as usize;
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, || None);
        }
        let before = self.slots[index].as_ref().map_or(self.generation, |slot| slot.generation);
        self.generation = before.wrapping_add(1);
        self.slots[index] = Some(Slot { generation: self.generation, value });
