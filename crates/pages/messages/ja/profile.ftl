# Profile

profile-parts = 設定の項目
profile-signed-in = { $name }としてログイン中
profile-about = あなたについて
profile-part-account = アカウント
profile-part-security = ログイン
profile-part-privacy = プライバシー
profile-part-connections = 連携
profile-part-data = データ
profile-part-developer = 開発者向け
profile-done-email = メールアドレスを変更しました。新しいアドレスに確認用のリンクをお送りしました。
profile-done-verification = メールアドレスにリンクをお送りしました。
profile-done-picture = 画像を保存しました。
profile-done-picture-removed = 画像を削除しました。
profile-done-settings = 設定を保存しました。
profile-done-password = パスワードを変更しました。ほかのすべての端末からログアウトし、すべてのアクセストークンを取り消しました。
profile-done-linked-a = AniListのアカウントを連携しました。数分以内に最初の同期が始まります。
profile-done-linked-b = MyAnimeListのアカウントを連携しました。数分以内に最初の同期が始まります。
profile-done-unlinked-a = AniListのアカウントの連携を解除しました。同期済みの記録は両方に残ります。
profile-done-unlinked-b = MyAnimeListのアカウントの連携を解除しました。同期済みの記録は両方に残ります。
profile-done-revoked = トークンを取り消しました。もう使えません。
profile-done-disconnected = アプリの連携を解除しました。このアプリはデータにアクセスできなくなりました。

# Picture

picture-heading = 画像
picture-file = 画像ファイル
picture-hint = PNG、JPEG、WebP、GIFに対応しています。200 KB以下、縦横1,024ピクセル以下にしてください。プロフィールを公開していると、誰でも見られます。
picture-button = 画像を保存
picture-remove = 画像を削除

# E-mail address

email-verified = 確認済み
email-not-verified = 未確認
email-explanation = このメールアドレスを確認するには、お送りしたリンクを開いてください。
email-button = リンクをもう一度送る
email-change = メールアドレスを変更する
email-new = 新しいメールアドレス
email-new-hint = 確認用のリンクをお送りします。以前のメールのリンクは使えなくなります。
email-change-button = メールアドレスを変更

# Access tokens

token-heading = APIトークン
token-explanation = トークンを使うと、ご自身のプログラムからAPIを利用できます。パスワードと同じように大切に保管してください。ほかの人が使うアプリには、ユーザーごとに同意を求める{ $oauth }をご利用ください。
token-name-hint = 60文字以内。トークンを使うプログラムの名前など。
token-scope = アクセス権
token-scope-read = 読み取りのみ：視聴履歴、名前、メールアドレス、設定
token-scope-playback = 再生：視聴した内容の報告のみ
token-scope-write = 読み取りと書き込み：パスワードの変更やアカウントの削除を含む、すべての操作
token-prove = トークンを作るには、先に{ $prove }。
token-prove-link = 本人確認をしてください
token-create = トークンを作成
token-new = 新しいトークン
token-new-copy = 新しいトークン
token-new-hint = 有効期限は{ $date }です。もう一度表示することはできません。
token-use = トークンを使うには、このコマンドの{ $token }をトークンに置き換えてください：
token-limits = トークンは30日間有効で、同時に{ $count }個まで持てます。すべて取り消すには、すべての端末からログアウトするか、パスワードを変更してください。
token-note = { $scope }、作成日{ $created }、有効期限{ $expires }、{ $used }
token-read-only = 読み取りのみ
token-playback-only = 再生の報告のみ
token-read-and-write = 読み取りと書き込み
token-used = 最終使用日{ $date }
token-not-used = 未使用
token-revoke = 取り消す
profile-applications = ほかの人が自分のアカウントで使うアプリは、登録が必要です。
profile-applications-link = アプリを管理
profile-reference = APIリファレンス

# Connected applications

connected-heading = 連携中のアプリ
connected-none = アカウントを利用できるアプリはありません。
connected-explanation = 連携を解除するまで、これらのアプリはアカウントの情報を読み取れます。「読み取りのみ」以外のアプリは、視聴履歴と設定も変更できます。
connected-more = ほか{ $count }件。いくつか連携を解除すると表示されます。
connected-since = { $date }から
connected-since-read-only = { $date }から、読み取りのみ
connected-since-playback-only = { $date }から、再生の報告のみ
connected-disconnect = 連携を解除

# Settings

settings-heading = 設定
settings-gender = 性別
settings-gender-unknown = 指定しない
settings-gender-male = 男性
settings-gender-female = 女性
settings-language = 言語
settings-language-hint = ページとメールは、英語、フランス語、イタリア語、日本語に対応しています。タイトルは、このすべての言語で表示できます。
profile-public = 公開プロフィール
settings-visibility = リストと統計を見られる人
settings-visibility-private = 自分とモデレーターだけ
settings-visibility-public = すべての人
settings-visibility-indexable = すべての人（検索エンジンにも表示）
settings-visibility-hint = 公開すると、/user/に名前を付けたアドレスで見られます。非公開の記録、メモ、メールアドレスは含まれません。
settings-public-profile = 公開プロフィールを見る
settings-button = 設定を保存

# Data and sign-out

profile-history = ほかのサービスの視聴履歴を取り込んだり、視聴履歴をファイルとしてダウンロードしたりできます。
profile-history-link = 視聴履歴をインポート・エクスポート
profile-data = 保存されているデータ
profile-data-explanation = 保存されているすべての情報を1つのJSONファイルにまとめたものです。アカウント、視聴履歴、連携先が含まれます。
profile-data-link = データをダウンロード
profile-sign-out = ログアウト
profile-sign-out-everywhere = すべての端末からログアウト
profile-sessions-link = ログイン中のブラウザーを見る
profile-sign-out-hint = 「すべての端末からログアウト」を押すと、すべてのブラウザーからログアウトし、連携中のアプリを含むすべてのアクセストークンが取り消されます。

# Deletion of the account

profile-delete = アカウントの削除
profile-delete-explanation = アカウントとすべてのデータを削除します。
profile-delete-button = アカウントを削除する
delete-title = アカウントを削除しますか？
delete-explanation = この操作は取り消せません。次のものが削除されます：
delete-account = アカウント（名前、メールアドレス、設定）
delete-history = 視聴履歴
delete-trackers = トラッカーのアカウントとの連携
delete-connections = 連携したアプリのアクセス権
delete-applications = 登録したアプリと、そのアプリがほかのユーザーのデータにアクセスする権限
delete-name = 削除後は、ほかの人が同じ名前やメールアドレスで登録できるようになります。
delete-keep = アカウントを残す
delete-done = アカウントを削除しました
delete-done-text = ログアウトし、すべてのアクセストークンを取り消しました。

# Trackers

tracker-heading = トラッカー
tracker-explanation = 視聴履歴は、連携したアカウントと双方向に同期されます。連携したアカウントの画像がアバターになります。連携はいつでも解除できます。
tracker-off = このサーバーでは{ $tracker }を利用できません。
tracker-failed-late = { $tracker }は連携されていません。別のブラウザーで始めたか、10分以上経過しています。もう一度連携してください。
tracker-failed-denied = { $tracker }でアクセスが拒否されたため、連携されていません。何も変更されていません。
tracker-failed-refused = { $tracker }に連携を拒否されました。もう一度連携してください。
tracker-failed-misconfigured = { $tracker }がこのサーバーの認証情報を拒否しています。サーバーの運営者にお問い合わせください。
tracker-failed-later = { $tracker }が利用できないか、リクエストを制限しています。しばらくしてからお試しください。
tracker-linked = 連携中
tracker-not-linked = 未連携
tracker-refused = 再連携が必要
tracker-connect = { $tracker }と連携
tracker-reconnect = { $tracker }と再連携
tracker-disconnect = { $tracker }の連携を解除
tracker-account = 連携中のアカウント：{ $name }
tracker-refused-explanation = { $tracker }との連携が無効になりました。再連携するまで同期されません。
tracker-first-sync = 数分以内に最初の同期が始まります。
tracker-not-synced = まだ同期されていません。
tracker-synced = 最終同期：{ $time }
tracker-run = 前回の実行（{ $time }）：
tracker-unchanged = 変更はありませんでした。
tracker-imported = ここで変更された記録：{ $count }
tracker-exported = 連携先で変更された記録：{ $count }
tracker-conflicts = 両方で変更：{ $count }
tracker-left = 送信待ち：{ $count }
tracker-rejected = 連携先で拒否：{ $count }
tracker-unknown = カタログにまだないアニメ：{ $count }
tracker-unknown-ids = カタログにまだないアニメ：{ $count }。トラッカーでのID：{ $ids }
tracker-unknown-more = ほか
tracker-next-run = 次回の実行は{ $time }以降です。

# Texts of the API

api-must-be-a-png-jpeg-webp-or = PNG、JPEG、WebP、GIFのいずれかで、200 KB以下、縦横1,024ピクセル以下の画像を選んでください
api-tracker-no-longer-accepts-the-connection = { $tracker }との連携が無効になりました。アカウントを再連携してください。
api-the-run-ended-before-it-was = { $tracker }の処理が終わる前に実行が終了しました。まもなく次の実行で続行します。
api-the-account-was-linked-again-or = アカウントが再連携されたか、別の実行が始まりました。まもなく次の実行で続行します。
api-something-went-wrong-on-our-side = サーバー側で問題が発生しました。次回以降の実行で再試行します。
api-the-last-request-to-tracker-failed = { $tracker }への最後のリクエストが失敗しました：ステータス{ $n1 }。
api-the-last-request-to-tracker-failed-an = { $tracker }への最後のリクエストが失敗しました：HTMLページ、ステータス{ $n1 }。
api-the-last-request-to-tracker-failed-no = { $tracker }への最後のリクエストが失敗しました：接続できません。
api-the-last-request-to-tracker-failed-no-response = { $tracker }への最後のリクエストが失敗しました：時間内に応答がありません。
api-the-last-request-to-tracker-failed-the = { $tracker }への最後のリクエストが失敗しました：応答が途中で切れました。
