        let found = self.slots.get_mut(id.slot).filter(|slot| slot.sequence == id.sequence);
        let value = found.and_then(|slot| slot.value.take());
        self.cancelled += usize::from(value.is_some());
        value
