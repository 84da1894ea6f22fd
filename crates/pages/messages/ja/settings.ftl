# The display of titles and scores

display-title = 言語とテーマ
display-link = 言語、配色、タイトル、スコア、タイムゾーン
display-kept-account = この設定はアカウントに保存されます。
display-kept-cookie = この設定は、このブラウザーのCookieに1年間保存されます。ログイン中は、アカウントの設定が優先されます。
display-language-browser = ブラウザーの設定に合わせる
display-theme = 配色
display-theme-hint = ログイン中のアカウントに関係なく、このブラウザーに適用されます。
display-theme-device = 端末の設定に合わせる
display-theme-light = ライト
display-theme-dark = ダーク
display-titles-hint = 該当するタイトルがないアニメは、別のタイトルで表示します。
display-titles-page = ページの言語
display-titles-romaji = ローマ字
display-titles-japanese = 日本語
display-scores = スコア
display-scores-hint = すでに付けたスコアはそのまま残ります。表示するときにだけ丸めます。
display-scores-ten = 1～10
display-scores-halves = 1～10（0.5刻み、例：7.5）
display-scores-decimals = 1～10（小数第1位まで、例：7.8）
display-scores-hundred = 1～100
display-scores-stars = 星1～5
display-time-zone = タイムゾーン
display-time-zone-hint = 視聴の記録に自動で入る日付、「今日」、ページに表示される時刻は、このタイムゾーンに従います。
display-time-zone-browser = お使いのブラウザーのタイムゾーンは{ $zone }です。
display-done = 設定を保存しました。

# Entering a score

score-hint-halves = 0.5から10まで、0.5刻み。スコアを付けない場合は空欄にしてください。
score-hint-decimals = 0.1から10まで。スコアを付けない場合は空欄にしてください。
score-save = スコアを保存
score-done = スコアを保存しました。
api-must-be-a-number-from-0-to = 0から10までの数を、小数点以下1桁までで入力してください
api-must-be-a-number-from-0 = 0から10までの数を、0.5刻みで入力してください
