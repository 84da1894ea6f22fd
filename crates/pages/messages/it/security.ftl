security-prove = Per modificare il modo in cui accedi, conferma prima la tua identità.
security-prove-button = Conferma la tua identità
