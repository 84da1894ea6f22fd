# Accounts

account-name = Nom
account-email = Adresse e-mail
account-password = Mot de passe
account-new-password = Nouveau mot de passe
account-signed-out-everywhere = Vous êtes déconnecté partout, et tous les jetons d’accès ont été révoqués.

# Sign up and sign in

sign-up-name-hint = De 3 à 32 caractères : lettres de a à z, chiffres, _ et -. Votre nom est public.
sign-up-email-hint = Non publique. Nous vous enverrons un lien pour la vérifier.
sign-up-has-account = Vous avez déjà un compte ? { $sign-in }.
sign-up-closed = Ce serveur n’accepte pas de nouveaux comptes.
sign-up-needs-invitation = Il faut une invitation pour créer un compte. Ouvrez le lien de votre invitation.
sign-up-invalid-invitation = L’invitation n’est pas valable, a expiré ou a déjà servi. Demandez-en une nouvelle.
sign-in-name = Nom ou adresse e-mail
sign-in-sign-up = Créer un compte
sign-in-draft = Votre session a expiré. L’entrée n’est pas enregistrée, mais votre saisie est conservée. Connectez-vous pour continuer.
door-word = Kiroku tient le carnet des anime que vous regardez, épisode par épisode, avec vos notes et vos remarques.

# Forgotten password

forgot-title = Mot de passe oublié ?
forgot-hint = L’adresse de votre compte. Nous y enverrons un lien pour choisir un nouveau mot de passe.
forgot-button = M’envoyer un lien
forgot-back = Retour à la connexion
forgot-sent-title = Consultez votre messagerie
forgot-sent = Si un compte utilise cette adresse, nous y avons envoyé un lien.
forgot-sent-hint = Le lien expire au bout d’une heure. Si vous ne le trouvez pas, vérifiez vos courriers indésirables ou essayez une autre adresse.
reset-title = Choisissez un nouveau mot de passe
reset-explanation = Vous serez déconnecté partout.
reset-button = Enregistrer le mot de passe
reset-again = Demander un autre lien
reset-done = Votre mot de passe a été modifié

# Verification of the e-mail address

verify-title = Vérifiez votre adresse e-mail
verify-explanation = Appuyez sur le bouton pour confirmer votre adresse e-mail.
verify-button = Vérifier mon adresse e-mail
verify-again = Vous pouvez demander un autre lien dans { $profile }.
verify-again-profile = vos réglages
verify-done = Votre adresse e-mail est vérifiée
verify-profile = Aller à vos réglages

# Consent to an application

consent-title = Se connecter avec Kiroku
consent-asks = { $application } demande l’accès à votre compte, { $user }.
consent-owner = Elle a été enregistrée par { $owner }.
consent-abilities = Ce qu’elle peut faire
consent-read = Lire votre historique de visionnage, votre nom, votre adresse e-mail et vos réglages
consent-write = Modifier votre historique de visionnage et vos réglages
consent-playback = Signaler ce que vous regardez
consent-write-limits = Elle ne peut ni modifier votre mot de passe ou vos services de suivi, ni supprimer votre compte.
consent-read-limits = Elle ne peut rien modifier.
consent-playback-limits = Elle ne peut ni lire votre compte, ni modifier autre chose.
consent-days = Elle garde l’accès pendant { $count } jours, ou jusqu’à ce que vous la déconnectiez dans vos réglages.
consent-return = Vous retournerez ensuite à { $destination }.
consent-allow = Autoriser
consent-deny = Refuser
consent-other = Vous n’êtes pas { $user } ?
consent-other-button = Se connecter avec un autre compte
