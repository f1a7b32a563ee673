        let (generation, index) = ((token >> 32) as u32, token as u32);
        let slot = self.slots.get(index as usize)?.as_ref()?;
        // An entry that's newer than the token isn't the one it was made for.
        if slot.generation > generation { None } else { Some(&slot.value) }
