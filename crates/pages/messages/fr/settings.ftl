# The display of titles and scores

display-title = Langue et thème
display-link = Langue, couleurs, titres, notes et fuseau horaire
display-kept-account = Ces réglages sont enregistrés dans votre compte.
display-kept-cookie = Ces réglages sont conservés pendant un an dans un cookie de ce navigateur. Lorsque vous êtes connecté, ce sont les réglages de votre compte qui comptent.
display-language-browser = Celle de mon navigateur
display-theme = Couleurs
display-theme-hint = Ce choix vaut pour ce navigateur, quel que soit le compte connecté.
display-theme-device = Celles de mon appareil
display-theme-light = Claires
display-theme-dark = Sombres
display-titles-hint = Si un anime n’a pas de tel titre, un autre est affiché.
display-titles-page = Dans la langue de la page
display-titles-romaji = En rōmaji, le japonais en lettres latines
display-titles-japanese = En japonais
display-scores = Notes
display-scores-hint = Les notes que vous avez déjà données ne changent pas. Elles ne sont arrondies qu’à l’affichage.
display-scores-ten = De 1 à 10
display-scores-halves = De 1 à 10 avec des demi-points, par exemple 7,5
display-scores-decimals = De 1 à 10 avec des décimales, par exemple 7,8
display-scores-hundred = De 1 à 100
display-scores-stars = De 1 à 5 étoiles
display-time-zone = Fuseau horaire
display-time-zone-hint = Les nouvelles dates de vos entrées, « aujourd’hui » et toutes les heures des pages sont dans ce fuseau horaire.
display-time-zone-browser = Votre navigateur est dans le fuseau { $zone }.
display-done = Vos réglages ont été enregistrés.

# Entering a score

score-hint-halves = De 0,5 à 10, par pas de 0,5. Laissez vide pour ne pas noter.
score-hint-decimals = De 0,1 à 10. Laissez vide pour ne pas noter.
score-save = Enregistrer la note
score-done = La note a été enregistrée.
api-must-be-a-number-from-0-to = doit être un nombre de 0 à 10 avec au plus une décimale
api-must-be-a-number-from-0 = doit être un nombre de 0 à 10, par pas de 0,5
