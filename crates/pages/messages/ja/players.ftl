# Players

profile-players-link = プレーヤーを設定

players-title = プレーヤー
players-explanation = プレーヤーが見た作品を知らせると、リストが更新されます。プレーヤーごとに専用のアドレスがあります。
players-own = 登録済みのプレーヤー
players-latest = 最後のメッセージ：{ $time }
players-latest-unknown = 過去30日間のメッセージはありません
players-latest-none = メッセージはまだありません
players-add = プレーヤーを追加
players-add-button = 追加
players-name-hint = 40文字以内。記録の変更履歴に表示されます。
players-kind-jellyfin = Jellyfin
players-kind-plex = Plex
players-kind-emby = Emby
players-kind-kodi = Kodi
players-kind-mpv = mpv
players-kind-other = その他のプログラムまたはスクリプト
players-plays = 再生するもの
players-plays-anime = アニメだけ
players-plays-mixed = アニメ以外も
players-plays-hint = アニメ以外も再生する場合、名前だけで判別され、リストにない作品は、記録する前に一度確認します。
players-limit = プレーヤーは{ $count }台まで登録できます。
players-back = プレーヤーの一覧に戻る

# Series whose anime is not known, and choices

players-unmatched = どのアニメですか？
players-unmatched-explanation = 次の作品は判別できませんでした。回答は同じシーズンのほかの話にも使われます。30日間保存されます。
players-unmatched-more = ほかに{ $count }件あります。回答すると表示されます。
players-others = アニメではないと思われる作品：{ $count }件
players-others-explanation = アニメ以外も再生するプレーヤーの作品のため、確認していません。アニメがあれば、ここで選択してください。
players-guess-one = アニメ「{ $title }」ですか？
players-kept = { $count }話を保存しています
players-questions = { $count }件の作品が回答を待っています
players-guesses = この中にありますか？
players-this-one = これです
players-other-anime = ほかのアニメ
players-not-an-anime = アニメではない
players-choices = 選択したアニメ
players-choices-explanation = 次の作品には選択が使われます。取り消すと、再び自動で判別されます。
players-chosen-none = アニメではない
players-chosen-part = 第{ $first }話以降（アニメの第{ $episode }話から）
players-take-back = 選択を取り消す
players-movie = 映画
players-no-season = シーズンなし
players-season = シーズン{ $season }
players-episode = 第{ $episode }話
players-season-episode = シーズン{ $season } 第{ $episode }話
players-series-title = アニメを選択
players-series-explanation = アニメを検索して選択してください。選択はシーズンのすべての話に使われます。
players-results-none = アニメが見つかりません。別の表記でお試しください。
players-anime = アニメ
players-anime-episode = アニメの話数
players-is-episode = シーズンの第{ $episode }話に当たる話数です。1つのシーズンに複数のアニメがある場合は、それぞれのアニメを話数とともに選択してください。
players-movie-is-episode = 映画に当たる話数です。
players-episodes = 全{ $count }話

# Confirmations

players-done-applied = 選択を保存し、{ $count }話をリストに記録しました。
players-done-rejected = この判別によるリストの変更を取り消しました。どのアニメですか？
players-done-kept = その後に記録が変更されたため、リストはそのままです。記録を確認してください。どのアニメですか？
players-done-chosen = 選択を保存しました。
players-done-not-an-anime = 選択を保存しました。この作品のメッセージでは何も変更されません。
players-done-taken-back = 選択を取り消しました。
players-done-removed = プレーヤーを削除しました。アドレスは使えません。
players-done-added = プレーヤーを追加しました。続けて設定してください。
players-done-saved = 設定を保存しました。
players-done-renewed = プレーヤーのアドレスを新しくしました。以前のアドレスは使えません。

# A player

players-set-up = { $kind }の設定
players-address = アドレス
players-address-secret = このアドレスを知っている人は誰でもリストを変更できます。新しいアドレスを作成すると、このアドレスはすぐに使えなくなります。パスワードを変更したとき、またはすべての端末からログアウトしたときも同様です。
players-address-ended = パスワードが変更されたため、アドレスは使えなくなりました。新しいアドレスを作成し、プレーヤーに設定してください。
players-messages = メッセージ
players-waiting = メッセージはまだ届いていません。
players-waiting-here = 何かを再生すると、ここに自動で表示されます。
players-look-again = もう一度確認
players-no-messages = 過去30日間に届いたメッセージはありません。
players-messages-explanation = 変更があったメッセージと、使えなかったメッセージ（最新50件）：
players-message = メッセージ
players-fix-wrong = ほかのアニメを選択
players-not-this = これではない
players-users = サーバーのユーザー
players-users-question = あなたはどのユーザーですか？選択するまで、メッセージは1日間保存され、何も変更されません。
players-users-explanation = 選択したユーザーのメッセージだけが使われます。
players-user-named = あなた
players-user-button = 自分です
players-settings = 設定
players-settings-explanation = 最初のメッセージが届いてからでも設定できます。
players-settings-link = 設定を変更
players-server-user = サーバーでのユーザー名
players-server-user-hint = このユーザーのメッセージだけが使われます。ユーザーのないプレーヤーでは空欄にしてください。
players-percent = 視聴済みとする割合（%）
players-percent-hint = 50から100まで。この割合まで再生すると視聴済みになります。
players-private = 新しい記録を非公開にする
players-again = 見終わったアニメを最初から記録する
players-again-hint = 見終わったアニメの第1話を見ると、再視聴として最初から記録されます。
players-libraries = アニメのライブラリー
players-libraries-hint = 1行に1つ、20個まで。入力すると、ほかのライブラリーについてのメッセージでは何も変更されません。PlexとTautulliはライブラリー名を送信します。
players-takes-back = 未視聴にした話を取り消す
players-takes-back-hint = 取り消されるのは、アニメの最後に見た話だけです。
players-takes-ratings = サーバーでの評価を取り込む
players-takes-ratings-hint = 映画、シーズン、作品の評価が、リストにあるアニメのスコアになります。
players-only-listed = すでにリストにあるアニメだけ
players-end = アドレスの変更と削除
players-end-explanation = 削除したプレーヤーは何も変更できません。リストはそのまま残ります。
players-remove = プレーヤーを削除

# Outcomes of messages

players-outcome-watched = 視聴済みにしました：
players-outcome-completed = 視聴済みにし、見終わりました：
players-outcome-started-again = 再視聴を始めました：
players-outcome-position-kept = 再生位置を保存しました：
players-outcome-already-watched = すでに視聴済みです：
players-outcome-taken-back = 未視聴に戻しました：
players-outcome-not-last-watched = 最後に見た話ではありません：
players-outcome-rated = 評価しました：
players-outcome-already-rated = すでに評価済みです：
players-outcome-not-finished = 最後まで再生されていません：
players-outcome-no-such-episode = アニメにこの話はありません：
players-outcome-end-unknown = 話数がわかりません。
players-outcome-no-match = アニメが見つかりません。
players-outcome-not-certain = 該当するアニメが複数あります。
players-outcome-waits = プレーヤーがアニメ以外も再生するため、回答を待っています。
players-outcome-differs = 同じシーズンの前の話が別のアニメだったため、回答を待っています。
players-outcome-not-listed = リストにありません：
players-outcome-not-an-anime = アニメではないと選択されています。
players-outcome-not-an-episode = アニメの話でも映画でもありません。
players-outcome-other-event = この種類の通知ではリストは変更されません。
players-outcome-unusable = タイトルまたは話数がないか、誤っています。
players-outcome-other-user = サーバーの別のユーザーについてのメッセージです。
players-outcome-other-library = 別のライブラリーについてのメッセージです。
players-outcome-no-user-named = サーバーのユーザーを選択するまで、1日間保存されます。
players-outcome-not-searched = 検索するタイトルが多すぎたため、このタイトルは検索されませんでした。

# The entry of an anime

players-changed = 最後の変更はプレーヤー「{ $player }」によるものです。

# Instructions

players-choose = { $field }で{ $values }を選択します。
players-template = テンプレート
players-template-copy = テンプレート
players-jellyfin-install = ダッシュボードのカタログからプラグイン{ $plugin }をインストールし、サーバーを再起動します。
players-jellyfin-add = プラグインの設定で{ $button }を押し、{ $field }にアドレスを貼り付けます。
players-jellyfin-template = 下のテキストを{ $field }に貼り付けて保存します。ヘッダーは不要です。
players-plex = Plex Passがある場合は、Plexのアカウントで{ $menu }を開き、アドレスを追加します。
players-tautulli = Plex Passがない場合は、Tautulliからメッセージを送信できます。
players-tautulli-add = Tautulliで{ $menu }を開き、{ $agent }を追加して、{ $field }にアドレスを貼り付けます。
players-tautulli-data = { $tab }を開き、それぞれのトリガーの{ $field }に下のテキストを貼り付けて保存します。
players-emby-add = { $menu }を開き、{ $kind }を追加して、アドレスを貼り付けます。
players-emby-events = 再生に関するすべてのイベントと、再生済みにしたときのイベントを選択して保存します。
players-mpv-script = Kirokuのリポジトリーのスクリプト{ $script }を、mpvのフォルダー{ $folder }に保存します。
players-mpv-options = 下の行を、mpvのフォルダーに{ $file }として保存します。
players-options-copy = 行
players-kodi = コマンドを実行するアドオンを使い、動画の終了時に、動画のファイル名を入れて次のコマンドを実行します。
players-other = どのプログラムやスクリプトからも、動画の終了時にメッセージを送信できます。例：
players-command-hint = ファイル名の代わりに、タイトル、シーズン、話数を送ることもできます。

# Texts of the API

api-player-not-found = プレーヤーが見つかりません
api-cannot-be-used-you-have-n-players = 使えません：プレーヤーはすでに{ $n1 }台あるので、先に1台削除してください
api-cannot-be-chosen-you-have-1000 = 選択できません：選択はすでに1,000件あるので、先に1件取り消してください
api-must-have-1-to-40-characters = 1～40文字で入力してください
api-must-have-1-to-200-characters = 1～200文字で入力してください
api-must-have-at-most-1000-characters = 1,000文字以内で入力してください
api-message-not-found = メッセージが見つかりません
api-must-have-at-most-20-lines = 20行以内で入力してください
api-must-be-the-number-of-a = シーズンの番号、movie、noneのいずれかで入力してください
