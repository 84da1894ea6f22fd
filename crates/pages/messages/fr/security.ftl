security-prove = Pour modifier vos moyens de connexion, confirmez d’abord votre identité.
security-prove-button = Confirmer mon identité
