# The display of titles and scores

display-title = Lingua e tema
display-link = Lingua, colori, titoli, voti e fuso orario
display-kept-account = Queste impostazioni sono salvate nel tuo account.
display-kept-cookie = Queste impostazioni restano per un anno in un cookie di questo browser. Quando hai effettuato l’accesso, valgono quelle del tuo account.
display-language-browser = Quella del mio browser
display-theme = Colori
display-theme-hint = La scelta vale per questo browser, qualunque sia l’account.
display-theme-device = Quelli del mio dispositivo
display-theme-light = Chiari
display-theme-dark = Scuri
display-titles-hint = Se un anime non ha un titolo di questo tipo, ne viene mostrato un altro.
display-titles-page = Nella lingua della pagina
display-titles-romaji = In rōmaji, cioè giapponese in lettere latine
display-titles-japanese = In giapponese
display-scores = Voti
display-scores-hint = I voti che hai già dato restano come sono. Sono arrotondati solo quando vengono mostrati.
display-scores-ten = Da 1 a 10
display-scores-halves = Da 1 a 10 con i mezzi voti, per esempio 7,5
display-scores-decimals = Da 1 a 10 con i decimali, per esempio 7,8
display-scores-hundred = Da 1 a 100
display-scores-stars = Da 1 a 5 stelle
display-time-zone = Fuso orario
display-time-zone-hint = Le nuove date delle tue voci, “oggi” e tutti gli orari delle pagine sono in questo fuso orario.
display-time-zone-browser = Il tuo browser è nel fuso { $zone }.
display-done = Le impostazioni sono state salvate.

# Entering a score

score-hint-halves = Da 0,5 a 10, a passi di 0,5. Lascia vuoto per non dare un voto.
score-hint-decimals = Da 0,1 a 10. Lascia vuoto per non dare un voto.
score-save = Salva il voto
score-done = Il voto è stato salvato.
api-must-be-a-number-from-0-to = deve essere un numero da 0 a 10 con al massimo un decimale
api-must-be-a-number-from-0 = deve essere un numero da 0 a 10, a passi di 0,5
