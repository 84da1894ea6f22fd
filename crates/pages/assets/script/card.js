// Puts an anime on the list from its card.
