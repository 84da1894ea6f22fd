# The start page of a signed-in user

home-title = Accueil
home-empty = Votre liste est vide.
home-welcome = Importer une liste ou en commencer une
home-continue = Continuer à regarder
home-all-current = { $count ->
    [one] { $count } entrée en cours
   *[other] Les { $count } entrées en cours
}
home-airing = Diffusions d’aujourd’hui et de demain
home-tomorrow = Demain
home-next = Que regarder ensuite
home-sequel = La suite de { $title }
home-planned = Vous comptez le regarder, et il est en cours de diffusion
home-because = Parce que vous avez terminé { $title }
