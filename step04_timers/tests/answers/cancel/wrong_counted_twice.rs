        let slot = self.slots.get_mut(id.slot)?;
        if slot.sequence != id.sequence {
            return None;
        }
        self.cancelled += 1;
        slot.value.take()
