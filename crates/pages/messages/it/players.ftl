# Players

profile-players-link = Configura i tuoi lettori

players-title = Lettori
players-explanation = Un lettore comunica a Kiroku che cosa guardi, e la tua lista si aggiorna. Ogni lettore invia i suoi messaggi a un indirizzo proprio.
players-own = I tuoi lettori
players-latest = ultimo messaggio: { $time }
players-latest-unknown = nessun messaggio negli ultimi 30 giorni
players-latest-none = ancora nessun messaggio
players-add = Aggiungi un lettore
players-add-button = Aggiungi
players-name-hint = Al massimo 40 caratteri. Compare nella cronologia delle modifiche di una voce.
players-kind-jellyfin = Jellyfin
players-kind-plex = Plex
players-kind-emby = Emby
players-kind-kodi = Kodi
players-kind-mpv = mpv
players-kind-other = Un altro programma o uno script
players-plays = Cosa riproduce
players-plays-anime = Solo anime
players-plays-mixed = Anche altro
players-plays-hint = Se riproduce anche altro, Kiroku ti chiede una volta prima di contare una serie che conosce solo dal nome e che non è nella tua lista.
players-limit = Puoi avere fino a { $count } lettori.
players-back = Torna ai tuoi lettori

# Series whose anime is not known, and choices

players-unmatched = Che anime è?
players-unmatched-explanation = Kiroku non ne è sicuro. La tua risposta vale anche per gli altri episodi della stagione. Queste serie restano per 30 giorni.
players-unmatched-more = E altre { $count }, che compaiono quando hai risposto a queste.
players-others = { $count ->
    [one] { $count } serie che probabilmente non è un anime
   *[other] { $count } serie che probabilmente non sono anime
}
players-others-explanation = Vengono da un lettore che riproduce anche altro, e Kiroku non fa domande al riguardo. Se una di queste serie è un anime, sceglilo qui.
players-guess-one = È l’anime { $title }?
players-kept = { $count ->
    [one] { $count } episodio conservato
   *[other] { $count } episodi conservati
}
players-questions = { $count ->
    [one] { $count } serie attende la tua risposta
   *[other] { $count } serie attendono la tua risposta
}
players-guesses = È uno di questi?
players-this-one = Questo
players-other-anime = Altro anime
players-not-an-anime = Non è un anime
players-choices = Le tue scelte
players-choices-explanation = I messaggi su queste serie seguono la tua scelta. Se ne annulli una, decide di nuovo Kiroku.
players-chosen-none = non è un anime
players-chosen-part = dall’episodio { $first }, che è l’episodio { $episode } dell’anime
players-take-back = Annulla la scelta
players-movie = film
players-no-season = senza stagione
players-season = stagione { $season }
players-episode = episodio { $episode }
players-season-episode = stagione { $season }, episodio { $episode }
players-series-title = Scegli l’anime
players-series-explanation = Cerca l’anime e sceglilo. La tua scelta vale per tutti gli episodi della stagione.
players-results-none = Nessun anime trovato. Prova un’altra grafia.
players-anime = Anime
players-anime-episode = Episodio dell’anime
players-is-episode = L’episodio { $episode } della stagione è questo episodio. Se una stagione comprende più anime, scegli ciascuno con il proprio episodio.
players-movie-is-episode = Il film è questo episodio dell’anime.
players-episodes = { $count ->
    [one] { $count } episodio
   *[other] { $count } episodi
}

# Confirmations

players-done-applied = { $count ->
    [one] La tua scelta è salvata, e l’episodio è segnato nella tua lista.
   *[other] La tua scelta è salvata, e { $count } episodi sono segnati nella tua lista.
}
players-done-rejected = Ciò che questo abbinamento aveva cambiato nella tua lista è annullato. Di quale anime si tratta?
players-done-kept = La tua lista resta com’è, perché la voce è cambiata nel frattempo. Controllala. Di quale anime si tratta?
players-done-chosen = La tua scelta è salvata.
players-done-not-an-anime = La tua scelta è salvata. I messaggi su questa serie non cambiano nulla.
players-done-taken-back = La tua scelta è annullata.
players-done-removed = Il lettore è stato rimosso. Il suo indirizzo non funziona più.
players-done-added = Il lettore è stato aggiunto. Ora configuralo.
players-done-saved = Le impostazioni sono salvate.
players-done-renewed = Il lettore ha un nuovo indirizzo. Quello precedente non funziona più.

# A player

players-set-up = Configura { $kind }
players-address = Indirizzo
players-address-secret = Chiunque conosca questo indirizzo può modificare la tua lista. Un nuovo indirizzo lo disattiva subito, così come una nuova password o la disconnessione da tutti i dispositivi.
players-address-ended = L’indirizzo non vale più, perché la password è cambiata. Creane uno nuovo e impostalo nel lettore.
players-messages = Messaggi
players-waiting = Non è ancora arrivato nessun messaggio.
players-waiting-here = Riproduci qualcosa: il messaggio comparirà qui da solo.
players-look-again = Controlla di nuovo
players-no-messages = Negli ultimi 30 giorni non è arrivato nessun messaggio.
players-messages-explanation = Gli ultimi 50 messaggi che hanno cambiato qualcosa o che non si potevano usare:
players-message = Messaggio
players-fix-wrong = Scegli un altro anime
players-not-this = Non è questo
players-users = Utenti del server
players-users-question = Chi sei tra questi? Finché non scegli, i messaggi restano per un giorno e non cambiano nulla.
players-users-explanation = Contano solo i messaggi dell’utente scelto.
players-user-named = tu
players-user-button = Sono io
players-settings = Impostazioni
players-settings-explanation = Possono aspettare l’arrivo del primo messaggio.
players-settings-link = Modifica le impostazioni
players-server-user = Il tuo nome sul server
players-server-user-hint = Contano solo i messaggi su questo utente. Lascia vuoto se il lettore non ha utenti.
players-percent = Percentuale che conta come vista
players-percent-hint = Da 50 a 100. Un episodio conta come visto quando questa parte è stata riprodotta.
players-private = Rendi private le nuove voci
players-again = Ricomincia gli anime completati
players-again-hint = Quando guardi l’episodio 1 di un anime completato, lo rivedi dall’inizio.
players-libraries = Librerie con anime
players-libraries-hint = Un nome per riga, al massimo 20. I messaggi su altre librerie non cambiano nulla. Plex e Tautulli inviano il nome della libreria.
players-takes-back = Annullare un episodio segnato come non visto
players-takes-back-hint = Viene annullato solo l’ultimo episodio visto di un anime.
players-takes-ratings = Riprendere i voti dal server
players-takes-ratings-hint = Il voto di un film, di una stagione o di una serie diventa quello di un anime della tua lista.
players-only-listed = Solo gli anime già nella mia lista
players-end = Nuovo indirizzo o rimozione
players-end-explanation = Un lettore rimosso non può più cambiare nulla. La tua lista resta com’è.
players-remove = Rimuovi il lettore

# Outcomes of messages

players-outcome-watched = Segnato come visto:
players-outcome-completed = Segnato come visto e completato:
players-outcome-started-again = Ricominciato:
players-outcome-position-kept = Posizione salvata:
players-outcome-already-watched = Già visto:
players-outcome-taken-back = Segnato come non visto:
players-outcome-not-last-watched = Non è l’ultimo episodio visto:
players-outcome-rated = Votato:
players-outcome-already-rated = Già votato:
players-outcome-not-finished = Non visto fino alla fine:
players-outcome-no-such-episode = L’anime non ha questo episodio:
players-outcome-end-unknown = Il numero dei suoi episodi non è noto.
players-outcome-no-match = Nessun anime trovato.
players-outcome-not-certain = Sono possibili più anime.
players-outcome-waits = Attende la tua risposta, perché il lettore riproduce anche altro.
players-outcome-differs = Attende la tua risposta, perché gli episodi precedenti della stagione erano di un altro anime.
players-outcome-not-listed = Non è nella tua lista:
players-outcome-not-an-anime = Hai scelto che non è un anime.
players-outcome-not-an-episode = Non è né un episodio né un film.
players-outcome-other-event = Gli eventi di questo tipo non cambiano nessuna lista.
players-outcome-unusable = Il titolo o l’episodio manca o è sbagliato.
players-outcome-other-user = Riguarda un altro utente del server.
players-outcome-other-library = Riguarda un’altra libreria.
players-outcome-no-user-named = Resta per un giorno, finché non scegli il tuo utente del server.
players-outcome-not-searched = Il titolo non è stato cercato, perché c’erano troppi titoli da cercare.

# The entry of an anime

players-changed = L’ultima modifica viene dal lettore { $player }.

# Instructions

players-choose = Per { $field }, scegli { $values }.
players-template = Modello
players-template-copy = il modello
players-jellyfin-install = Nel pannello di controllo, installa il plugin { $plugin } dal catalogo e riavvia il server.
players-jellyfin-add = Nelle impostazioni del plugin, premi { $button } e incolla l’indirizzo in { $field }.
players-jellyfin-template = Incolla il testo qui sotto in { $field } e salva. Non serve nessuna intestazione.
players-plex = Con Plex Pass: apri { $menu } nel tuo account Plex e aggiungi l’indirizzo.
players-tautulli = Senza Plex Pass, i messaggi può inviarli Tautulli:
players-tautulli-add = In Tautulli, apri { $menu }, aggiungi l’agente { $agent } e incolla l’indirizzo in { $field }.
players-tautulli-data = Apri { $tab }, incolla il testo qui sotto in { $field } di ciascuno di questi eventi e salva.
players-emby-add = Apri { $menu }, aggiungi { $kind } e incolla l’indirizzo.
players-emby-events = Scegli tutti gli eventi di riproduzione, e quello degli elementi segnati come visti. Salva.
players-mpv-script = Salva lo script { $script } del repository di Kiroku nella cartella { $folder } di mpv.
players-mpv-options = Salva la riga qui sotto come { $file } nella cartella di mpv.
players-options-copy = la riga
players-kodi = Fai eseguire questo comando da un add-on alla fine di ogni video, con il nome del file del video:
players-other = Qualsiasi programma o script può inviare un messaggio alla fine di un video, per esempio questo:
players-command-hint = Al posto del nome del file, un messaggio può avere il titolo, la stagione e l’episodio.

# Texts of the API

api-player-not-found = Lettore non trovato
api-cannot-be-used-you-have-n-players = non si può usare: hai già { $n1 } lettori; prima rimuovine uno
api-cannot-be-chosen-you-have-1000 = non si può scegliere: hai già fatto 1.000 scelte; prima annullane una
api-must-have-1-to-40-characters = deve avere da 1 a 40 caratteri
api-must-have-1-to-200-characters = deve avere da 1 a 200 caratteri
api-must-have-at-most-1000-characters = deve avere al massimo 1.000 caratteri
api-message-not-found = Messaggio non trovato
api-must-have-at-most-20-lines = deve avere al massimo 20 righe
api-must-be-the-number-of-a = deve essere il numero di una stagione, movie o none
