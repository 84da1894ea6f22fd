# The second factor: its section and its set-up

factor-second = 2段階認証
factor-explanation = 2段階認証を設定すると、パスワードでのログインに認証アプリのコードも必要になります。パスワードを知られただけではログインされません。
factor-no-password = このアカウントにはパスワードがないため、2段階認証は必要ありません。パスキーやIDプロバイダーでのログインでは、コードは求められません。
factor-set-up = 2段階認証を設定する
factor-since = { $date }から認証アプリが設定されています。
factor-codes-left = { $count ->
    [0] リカバリーコードは残っていません。
   *[other] リカバリーコードの残りは{ $count }個です。
}
factor-new-codes = リカバリーコードを作り直す
factor-remove-hint = 別の認証アプリを使うには、2段階認証を解除してからもう一度設定してください。解除すると、ほかのセッションとアクセストークンはすべて終了します。
factor-remove = 2段階認証を解除する
factor-removed = 2段階認証を解除しました。ほかのセッションはすべて終了しました。
factor-set-up-title = 2段階認証の設定
factor-scan = 認証アプリでこのコードを読み取ってください。
factor-qr = キーのQRコード
factor-open = この端末のアプリを開く
factor-key = または、次のキーをアプリに入力してください。
factor-key-copy = キー
factor-code-hint = アプリに表示されている6桁の数字。
factor-confirm = 有効にする
factor-back = 設定せずに戻る
factor-added = 2段階認証を設定しました。
factor-codes-renewed = リカバリーコードを作り直しました。以前のコードは使えません。
factor-codes = リカバリーコード
factor-codes-copy = リカバリーコード
factor-codes-hint = パスワードマネージャーや紙など、安全な場所に保管してください。再び表示されることはありません。認証アプリを使えなくなったときに、それぞれ1回だけログインに使えます。
factor-codes-stored = 保管しました

# Kinds of factors, for moderators

factor-kinds = ログイン方法
factor-passkey = パスキー

# The code after the password

code-title = コードを入力してください
code-label = コード
code-hint = 認証アプリの6桁の数字、またはリカバリーコード。
code-lost = アプリもリカバリーコードも使えない場合は、このサーバーの運営者に連絡してください。
code-other = 別のユーザーでログイン

# Errors

api-is-wrong-or-has-already-been = 正しくないか、すでに使われています
api-cannot-be-checked-on-this-server = このサーバーではもう確認できません。リカバリーコードを入力してください
api-is-wrong-check-that-the-clock = 正しくありません。端末の時計が合っているか確認してください
api-too-much-time-has-passed-sign = 時間が経ちすぎました。もう一度ログインしてください。
api-too-much-time-has-passed-add = 時間が経ちすぎました。この新しいキーをアプリに追加してください。
