        // expect: it is marked:    3 waiting, 3 in the heap
        let slot = self.slots.get_mut(id.slot)?;
        if slot.sequence != id.sequence {
            return None;
        }
        slot.value.take()
