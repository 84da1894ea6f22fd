# Calendar

calendar-title = Calendario
calendar-lead = Che cosa va in onda nei prossimi sette giorni tra gli anime che guardi o che hai in programma. Il catalogo conosce solo il giorno in UTC in cui un anime va in onda. Da te può essere il giorno prima o quello dopo.
calendar-today = Oggi
calendar-nothing = Niente nella tua lista.
calendar-later = Inizia presto
calendar-unknown = In onda in un giorno sconosciuto
calendar-next-episode = prossimo: episodio { $episode }
calendar-waiting = { $count } da vedere
calendar-empty = Nessun anime della tua lista è in onda o inizia entro 4 settimane.
calendar-browse = Guarda gli anime di questa stagione
calendar-feed = Nel tuo calendario
calendar-feed-lead = Aggiungi un indirizzo a Google Calendar, Calendario di Apple, Outlook, Thunderbird o a un altro programma. Mostrerà gli stessi anime, tranne le voci private.
calendar-feed-address = l’indirizzo
calendar-feed-secret = Chiunque conosca questo indirizzo può leggere il calendario. Un nuovo indirizzo lo disattiva subito, così come una nuova password o la disconnessione da tutti i dispositivi.
calendar-feed-make = Crea un indirizzo
calendar-feed-renew = Crea un nuovo indirizzo
calendar-feed-remove = Elimina l’indirizzo
calendar-renewed = Il tuo calendario ha un nuovo indirizzo. Quelli precedenti non funzionano più.
calendar-removed = L’indirizzo è stato eliminato. Non funziona più.
calendar-name = Kiroku – Anime
