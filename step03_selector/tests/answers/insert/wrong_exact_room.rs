        let place = index as usize;
        if place >= self.slots.len() {
            // Indices are dense, so there's no need for more room than that.
            self.slots.reserve_exact(place + 1 - self.slots.len());
            self.slots.resize_with(place + 1, || None);
        }
        self.generation = self.generation.wrapping_add(1);
        self.slots[place] = Some(Slot { generation: self.generation, value });
