# The page for administrators

administration-title = Amministrazione
administration-version = Versione
administration-users = Utenti (circa)
administration-stories = Voci delle liste (circa)
administration-data-anime = Dati degli anime
administration-data-identifiers = Identificatori
administration-data-seasons = Stagioni
administration-data-at = { $days ->
    [one] { $date } ({ $days } giorno fa)
   *[other] { $date } ({ $days } giorni fa)
}
administration-data-old = I dati del catalogo hanno più di 30 giorni. Aggiornali o scegli un’altra fonte: la pubblicazione potrebbe essere terminata.
administration-no-refresh = Il catalogo non è ancora stato aggiornato dalle sue fonti.
administration-refreshed = Ultimo aggiornamento: da { $began } a { $ended }.
administration-refresh-failed = L’aggiornamento si è interrotto:
administration-source-read = letta
administration-source-unchanged = invariata
administration-source-not-due = non consultata: viene consultata una volta al giorno
administration-source-failed = errore:
administration-stale-since = non aggiornata da { $time }
administration-current-at = aggiornata a { $time }
administration-source-counts = { $added } aggiunti, { $changed } modificati, { $skipped } saltati
administration-invitations = Inviti
administration-registration-open = Chiunque può registrarsi. Non serve un invito.
administration-registration-invite = Per registrarsi serve un invito. Un invito è un link con cui una persona può creare un account.
administration-registration-closed = Le registrazioni sono chiuse. Gli inviti non si possono usare.
administration-days = Giorni di validità
administration-days-hint = Un numero intero da 1 a 90.
administration-invite = Crea un invito
administration-link = Link dell’invito
administration-link-copy = il link
administration-link-hint = Invialo alla persona che vuoi invitare. Non verrà più mostrato. Si può usare fino al { $date }.
administration-limit = Possono essere validi al massimo { $count } inviti allo stesso tempo.
administration-no-invitation = Nessun invito è valido.
administration-valid-until = Valido fino al { $date }
administration-made = Creato il { $date }
administration-revoked = L’invito è stato revocato.

# Errors of this page

api-only-administrators-can-do-this = Solo gli amministratori possono farlo.
api-cannot-be-used-there-are-n = non si può usare: ci sono già { $n1 } inviti; prima revocane uno
api-must-be-a-whole-number-from = deve essere un numero intero da { $n1 } a { $n2 }
