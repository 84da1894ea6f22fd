# Passkeys

form-passkey = パスキー
passkeys-heading = パスキー
passkeys-explanation = パスキーがあれば、パスワードの代わりに端末の指紋認証、顔認証、またはPINでログインできます。
passkeys-unavailable = このサーバーではパスキーを使えません。https://kiroku.example のように、HTTPSとホスト名のあるアドレスが必要です。
passkeys-unsupported = パスキーの作成と使用には、JavaScriptと新しいブラウザーが必要です。
passkeys-note = 追加日{ $added }、{ $used }
passkeys-not-used = 未使用
passkeys-other-host = このサーバーの別のアドレス{ $host }で作成されたもので、そこでしか使えません。このアドレス用に新しいパスキーを作成してください。
passkeys-name = パスキーの名前
passkeys-name-hint = 保存先の端末の名前など。64文字まで。
passkeys-add = パスキーを追加
passkeys-full = パスキーが上限の{ $count }個あります。追加するには、先に1つ削除してください。
passkeys-rename = 名前を変更
passkeys-new-name = 新しい名前
passkeys-save = 名前を保存
passkeys-remove = 削除
passkeys-remove-hint = パスキーを削除すると、ほかのすべてのブラウザーとアプリからもログアウトされます。
passkeys-done-added = パスキーを追加しました。
passkeys-done-renamed = パスキーの名前を変更しました。
passkeys-done-removed = パスキーを削除しました。端末やパスワードマネージャーからも削除してください。
passkeys-sign-in = パスキーでログイン
passkeys-sign-up = パスキーで新規登録
passkeys-sign-up-explanation = { $name }という名前は使えます。これからブラウザーがアカウント用のパスキーを作成します。パスワードは必要ありません。
passkeys-create = パスキーを作成
passkeys-first = 最初のパスキー
passkeys-prove = パスキーで確認
passkeys-failed = パスキーは使われませんでした。画面を閉じたか、この端末にこのサイトのパスキーがない可能性があります。もう一度お試しください。
passkeys-known = この端末には、このアカウントのパスキーがすでにあります。

# Texts of the API

api-could-not-be-read-try-again = 読み取れませんでした。もう一度お試しください
api-took-too-long-or-has-already = 時間切れか、送信済みです。もう一度お試しください
api-is-not-known-here-it-may = 登録されていません。削除された可能性があります
api-was-used-at-another-address-than = このサーバーとは別のアドレスで使われました
api-did-not-check-that-it-is = 本人確認が行われませんでした。PIN、指紋、または顔でロックを解除してください
api-could-not-be-checked-try-again = 確認できませんでした。もう一度お試しください
api-was-refused-because-there-may-be = 複製されている可能性があるため、拒否しました。別の方法でログインして削除してください
api-is-one-too-many-remove-another = 上限に達しています。先に別のものを削除してください
api-is-there-already = すでに登録されています
api-is-the-last-way-to-sign = 最後のログイン方法です。先に別の方法を追加してください
api-must-have-1-to-64-characters = 1～64文字で入力してください
api-passkey-not-found = パスキーが見つかりません
api-this-server-has-no-passkeys-because = アドレスがHTTPSのホスト名ではないため、このサーバーではパスキーを使えません。
