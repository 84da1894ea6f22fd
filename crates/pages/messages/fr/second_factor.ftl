# The second factor: its section and its set-up

factor-second = Second facteur
factor-explanation = Avec un second facteur, la connexion par mot de passe demande aussi un code d’une application d’authentification. Votre mot de passe seul ne suffit plus pour se connecter.
factor-no-password = Votre compte n’a pas de mot de passe et n’a donc pas besoin de second facteur : aucun code n’est demandé après une clé d’accès ou un fournisseur d’identité.
factor-set-up = Configurer un second facteur
factor-since = Une application d’authentification est configurée depuis le { $date }.
factor-codes-left = { $count ->
    [0] Il ne vous reste aucun code de secours.
    [one] Il vous reste 1 code de secours.
   *[other] Il vous reste { $count } codes de secours.
}
factor-new-codes = Créer de nouveaux codes de secours
factor-remove-hint = Pour changer d’application d’authentification, supprimez le second facteur puis configurez-le à nouveau. Sa suppression met fin à toutes les autres sessions et à tous les jetons d’accès.
factor-remove = Supprimer le second facteur
factor-removed = Le second facteur est supprimé. Toutes les autres sessions ont pris fin.
factor-set-up-title = Configurer un second facteur
factor-scan = Scannez ce code avec votre application d’authentification.
factor-qr = Code QR contenant la clé
factor-open = Ouvrir l’application sur cet appareil
factor-key = Ou saisissez cette clé dans l’application :
factor-key-copy = la clé
factor-code-hint = Les 6 chiffres que l’application affiche en ce moment.
factor-confirm = Activer
factor-back = Revenir sans second facteur
factor-added = Le second facteur est configuré.
factor-codes-renewed = Vous avez de nouveaux codes de secours. Les anciens ne fonctionnent plus.
factor-codes = Codes de secours
factor-codes-copy = les codes de secours
factor-codes-hint = Conservez ces codes en lieu sûr, par exemple dans un gestionnaire de mots de passe ou sur papier. Ils ne seront plus affichés. Chacun permet de vous connecter une fois si vous perdez votre application d’authentification.
factor-codes-stored = Je les ai conservés

# Kinds of factors, for moderators

factor-kinds = Moyens de connexion
factor-passkey = Clé d’accès

# The code after the password

code-title = Saisissez un code
code-label = Code
code-hint = Les 6 chiffres de votre application d’authentification, ou un code de secours.
code-lost = Si vous avez perdu à la fois l’application et les codes de secours, contactez l’exploitant de ce serveur.
code-other = Se connecter avec un autre compte

# Errors

api-is-wrong-or-has-already-been = incorrect ou déjà utilisé
api-cannot-be-checked-on-this-server = ne peut plus être vérifié sur ce serveur ; saisissez un code de secours
api-is-wrong-check-that-the-clock = incorrect ; vérifiez que l’horloge de votre appareil est à l’heure
api-too-much-time-has-passed-sign = Trop de temps s’est écoulé. Reconnectez-vous.
api-too-much-time-has-passed-add = Trop de temps s’est écoulé. Ajoutez cette nouvelle clé à votre application.
