proof-title = Confirmez votre identité
proof-explanation = Vous allez modifier quelque chose que seul le propriétaire de ce compte devrait modifier. Votre confirmation est valable 10 minutes.
proof-button = Confirmer
proof-again-title = Autre possibilité
proof-again = Déconnectez-vous, puis reconnectez-vous. Vous reviendrez ensuite ici.
proof-again-button = Se déconnecter et se reconnecter
