# Calendar

calendar-title = Calendrier
calendar-lead = Les diffusions des sept prochains jours parmi les anime que vous regardez ou prévoyez de regarder. Le catalogue ne connaît que le jour de diffusion en UTC. Chez vous, ce peut être la veille ou le lendemain.
calendar-today = Aujourd’hui
calendar-nothing = Rien dans votre liste.
calendar-later = Commence bientôt
calendar-unknown = Jour de diffusion inconnu
calendar-next-episode = prochain : épisode { $episode }
calendar-waiting = { $count } à voir
calendar-empty = Aucun anime de votre liste n’est diffusé en ce moment ni ne commence dans les 4 semaines.
calendar-browse = Voir les anime de la saison
calendar-feed = Dans votre agenda
calendar-feed-lead = Ajoutez une adresse à Google Agenda, Calendrier d’Apple, Outlook, Thunderbird ou un autre programme. Il affichera les mêmes anime, sauf les entrées privées.
calendar-feed-address = l’adresse
calendar-feed-secret = Toute personne qui connaît cette adresse peut lire le calendrier. Une nouvelle adresse met fin à celle-ci aussitôt, de même qu’un nouveau mot de passe ou une déconnexion de tous les appareils.
calendar-feed-make = Créer une adresse
calendar-feed-renew = Créer une nouvelle adresse
calendar-feed-remove = Supprimer l’adresse
calendar-renewed = Votre calendrier a une nouvelle adresse. Les précédentes ne fonctionnent plus.
calendar-removed = L’adresse est supprimée. Elle ne fonctionne plus.
calendar-name = Kiroku – Anime
