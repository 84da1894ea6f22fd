# The page for administrators

administration-title = Administration
administration-version = Version
administration-users = Utilisateurs (nombre approximatif)
administration-stories = Entrées des listes (nombre approximatif)
administration-data-anime = Données des anime
administration-data-identifiers = Identifiants
administration-data-seasons = Saisons
administration-data-at = { $days ->
    [one] { $date } (il y a { $days } jour)
   *[other] { $date } (il y a { $days } jours)
}
administration-data-old = Les données du catalogue ont plus de 30 jours. Actualisez-les ou choisissez une autre source : leur publication a peut-être cessé.
administration-no-refresh = Le catalogue n’a pas encore été actualisé depuis ses sources.
administration-refreshed = Dernière actualisation : de { $began } à { $ended }.
administration-refresh-failed = L’actualisation s’est arrêtée avant la fin :
administration-source-read = lue
administration-source-unchanged = inchangée
administration-source-not-due = non consultée : elle est consultée une fois par jour
administration-source-failed = échec :
administration-stale-since = périmée depuis { $time }
administration-current-at = à jour à { $time }
administration-source-counts = { $added } ajoutés, { $changed } modifiés, { $skipped } ignorés
administration-invitations = Invitations
administration-registration-open = Tout le monde peut s’inscrire. Aucune invitation n’est nécessaire.
administration-registration-invite = L’inscription nécessite une invitation. Une invitation est un lien avec lequel une personne peut créer un compte.
administration-registration-closed = Les inscriptions sont fermées. Les invitations ne peuvent pas être utilisées.
administration-days = Jours de validité
administration-days-hint = Un nombre entier de 1 à 90.
administration-invite = Créer une invitation
administration-link = Lien de l’invitation
administration-link-copy = le lien
administration-link-hint = Envoyez-le à la personne que vous voulez inviter. Il ne sera plus affiché. Il peut être utilisé jusqu’au { $date }.
administration-limit = Au plus { $count } invitations peuvent être valables en même temps.
administration-no-invitation = Aucune invitation n’est valable.
administration-valid-until = Valable jusqu’au { $date }
administration-made = Créée le { $date }
administration-revoked = L’invitation a été révoquée.

# Errors of this page

api-only-administrators-can-do-this = Seuls les administrateurs peuvent faire cela.
api-cannot-be-used-there-are-n = ne peut pas être utilisé : il y a déjà { $n1 } invitations ; révoquez-en une d’abord
api-must-be-a-whole-number-from = doit être un nombre entier de { $n1 } à { $n2 }
