proof-title = Conferma la tua identità
proof-explanation = Stai per modificare qualcosa che solo il proprietario di questo account dovrebbe modificare. La conferma vale 10 minuti.
proof-button = Conferma
proof-again-title = Un altro modo
proof-again = Esci e accedi di nuovo. Poi tornerai a questo punto.
proof-again-button = Esci e accedi di nuovo
