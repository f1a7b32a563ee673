        self.generation = self.generation.wrapping_add(1);
        let index = index as usize;
        if index >= self.slots.len() {
            let (needed, capacity) = (index + 1, self.slots.capacity());
            if needed > capacity {
                // Doubles a short list, and lets a long one grow by a quarter, so it wastes less.
                let grown =
                    if capacity < 256 { 2 * capacity } else { capacity + (capacity + 3 * 256) / 4 };
                self.slots.reserve_exact(needed.max(grown) - self.slots.len());
            }
            self.slots.resize_with(needed, || None);
        }
        self.slots[index] = Some(Slot { generation: self.generation, value });
