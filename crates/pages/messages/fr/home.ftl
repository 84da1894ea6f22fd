# The pages at /: the home page of a signed-in user, and the landing page of visitors

home-title = Aujourd’hui
home-offline = Votre liste ne peut pas être lue pour le moment. Rien n’est perdu. Réessayez dans un instant.
home-empty = Votre liste est vide
home-empty-lead = Les anime que vous regardez apparaissent ici, avec le prochain épisode et son jour de diffusion.
home-welcome = Importer une liste ou en commencer une
home-continue = Continuer
home-nothing = Rien n’est en cours. Les anime que vous regardez apparaissent ici.
home-all-current = Tout voir ({ $count })
home-plus = +1 : épisode { $number } de { $title } vu
home-week-title = Diffusions des sept prochains jours
home-week = { $count ->
    [one] diffusion en sept jours
   *[other] diffusions en sept jours
}
home-completed = { $count ->
    [one] terminé
   *[other] terminés
}
home-listed = { $count ->
   *[other] dans la liste
}
home-airing = À l’antenne
home-calendar = La semaine
home-tomorrow = Demain
home-next = Que regarder ensuite
home-sequel = La suite de { $title }
home-planned = Vous comptez le regarder, et il est en cours de diffusion
home-because = Parce que vous avez terminé { $title }
home-season-all = La saison
home-best = Les mieux notés
home-best-all = Tous les anime
landing-title = Gardez trace de ce que vous regardez.
landing-lead = Un carnet discret pour tous les anime : épisodes, notes, chansons et remarques. Il est à vous : à garder, à exporter et à partager, sans publicité ni pistage.
landing-begin = Ouvrir un carnet
landing-browse = Faire un tour
landing-import = Importer une liste d’AniList ou de MyAnimeList
landing-tally = Un trait par épisode
landing-tally-lead = Une entrée indique l’épisode suivant. Appuyez sur +1, et un trait s’ajoute. Voici à quoi ressemblent les entrées :
landing-week = La semaine
landing-week-lead = Le calendrier montre les diffusions des anime que vous suivez et ce qu’il vous reste à rattraper. En ce moment :
landing-year = Une année à garder
landing-year-lead = Chaque anime terminé prend place sur le mur de son année, que vous pouvez partager sous forme d’image.
