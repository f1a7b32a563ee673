        let generation = self.generation.wrapping_add(1);
        let entry = Some(Slot { generation, value });
        let index = index as usize;
        if let Some(slot) = self.slots.get_mut(index) {
            *slot = entry;
        } else {
            let gap = index - self.slots.len();
            self.slots.extend(std::iter::repeat_with(|| None).take(gap).chain([entry]));
        }
        self.generation = generation;
