        let index = token as u32;
        let slot = self.slots.get(index as usize).and_then(Option::as_ref);
        slot.filter(|slot| crate::table::token(slot.generation, index) == token)
            .map(|slot| &slot.value)
