// The search in the header answers while the visitor types.
