# The start page of a signed-in user

home-title = Home
home-empty = La tua lista è vuota.
home-welcome = Importa una lista o iniziane una nuova
home-continue = Continua a guardare
home-all-current = { $count ->
    [one] { $count } voce in corso
   *[other] Tutte le { $count } voci in corso
}
home-airing = In onda oggi e domani
home-tomorrow = Domani
home-next = Che cosa guardare dopo
home-sequel = Il seguito di { $title }
home-planned = È tra quelli da vedere ed è in onda adesso
home-because = Perché hai finito { $title }
