        let key = |entry: &Entry| (entry.when, entry.sequence);
        key(self).cmp(&key(other)).reverse()
