// Saves the record of an anime when a value changes.
