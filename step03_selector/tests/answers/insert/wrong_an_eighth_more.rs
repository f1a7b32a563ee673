        let place = index as usize;
        if place >= self.slots.len() {
            let missing = place + 1 - self.slots.len();
            if place >= self.slots.capacity() {
                self.slots.reserve_exact(missing + self.slots.len() / 8);
            }
            self.slots.resize_with(place + 1, || None);
        }
        self.generation = self.generation.wrapping_add(1);
        self.slots[place] = Some(Slot { generation: self.generation, value });
