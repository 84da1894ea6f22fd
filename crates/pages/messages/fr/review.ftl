# The review of a year

review-title = { $year } en anime : { $name }
review-title-own = Votre année { $year } en anime
review-summary = { $anime ->
    [one] { $anime } anime terminé
   *[other] { $anime } anime terminés
}, soit { $episodes ->
    [one] { $episodes } épisode
   *[other] { $episodes } épisodes
} en { $hours ->
    [one] { $hours } heure
   *[other] { $hours } heures
}.
review-nothing = Aucun anime avec une date de fin en { $year }.
review-hint = Un anime compte dans l’année où il a été terminé pour la première fois, avec les épisodes de ce visionnage. Les anime sans date de fin ne comptent dans aucune année.
review-favorites = Favoris
review-ends = Premier et dernier
review-first = Premier de l’année
review-last = Dernier de l’année
review-finished = Terminés
review-more = Et { $count } de plus, dans la liste
review-share = Page à partager
review-make-public = Rendez votre profil public pour partager cette page
review-years = Bilans par année
review-picture = Télécharger l’image
review-address = l’adresse de la page à partager
review-highest = La meilleure note revient à { $title }.
review-month-unknown = À un moment de l’année
