        let key = |entry: &Entry| (u128::from(entry.when.as_nanos()) << 32) + u128::from(entry.sequence);
        key(other).cmp(&key(self))
