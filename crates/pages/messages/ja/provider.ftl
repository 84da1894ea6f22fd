# Sign-in with an identity provider

provider-sign-in = { $provider }でログイン
provider-only = このサーバーではパスワードを使用できません。IDプロバイダーでログインしてください。
provider-failed-title = { $provider }：うまくいきませんでした
provider-failed-expired = この操作は期限切れか、使用済みか、別のブラウザーで始められたものです。もう一度最初からやり直してください。
provider-failed-denied = { $provider }でログインしていません。
provider-failed-refused = { $provider }からの応答をこのサーバーは受け付けられませんでした。もう一度お試しください。解決しない場合は、このサーバーの運営者にお知らせください。
provider-failed-unavailable = { $provider }が現在応答していません。しばらくしてからもう一度お試しください。
provider-failed-other-issuer = このサーバーの設定では{ $provider }の発行者は{ $expected }ですが、{ $provider }は{ $found }と名乗っています。サーバーの運営者が、後者をそのまま設定する必要があります。
provider-failed-not-allowed = { $provider }のアカウントでこのサーバーにログインすることは許可されていません。利用については、このサーバーの運営者にお問い合わせください。
provider-failed-no-account = { $provider }のアカウントと連携しているアカウントがこのサーバーにありません。また、このサーバーでは新しいアカウントを作成できません。すでにアカウントをお持ちの場合は、別の方法でログインし、設定で{ $provider }と連携してください。
provider-failed-taken = { $provider }のアカウントは、このサーバーの別のアカウントとすでに連携しています。先にそのアカウントにログインして連携を解除してください。
provider-failed-other-person = 連携しているものとは別の{ $provider }のアカウントでログインしました。
provider-failed-connected = { $provider }のアカウントとすでに連携しています。先に連携を解除してください。
provider-failed-not-again = { $provider }が再ログインを求めなかったため、本人確認ができませんでした。別の方法をお使いください。
provider-failed-no-time = { $provider }からログインした時刻が送られてこないため、本人確認ができませんでした。パスワードやパスキーなど、別の方法をお使いください。
provider-try-again = もう一度試す
provider-other-way = 別の方法でログイン
provider-start = ホームへ
provider-back-to-profile = 設定に戻る

# Signing out

provider-signed-out-title = このサーバーからログアウトしました
provider-signed-out-next = 続いて、{ $provider }からもログアウトするために移動します。
provider-signed-out-link = { $provider }からログアウト

# First sign-in

provider-new-title = アカウントを作成
provider-new-explanation = { $provider }でログインしました。このサーバーにはまだアカウントがありません。名前を決めてください。
provider-new-email-hint = 公開されません。{ $provider }で確認されていない場合は、確認用のリンクをお送りします。
provider-new-button = アカウントを作成
provider-new-has-account = すでにアカウントをお持ちですか？{ $sign-in }してから、設定で連携してください。
provider-new-sign-in = いつもの方法でログイン

# Profile

provider-heading = IDプロバイダー
provider-connected = { $date }から{ $provider }のアカウントと連携しています。このアカウントでログインできます。
provider-not-connected = { $provider }のアカウントと連携すると、そのアカウントでログインできます。
provider-connect = { $provider }と連携
provider-disconnect = { $provider }との連携を解除
provider-prove = { $provider }で確認
provider-done-connected = IDプロバイダーのアカウントと連携しました。このアカウントでログインできます。
provider-done-disconnected = IDプロバイダーとの連携を解除しました。ほかのすべての端末からログアウトし、すべてのアクセストークンを無効にしました。

# Errors

api-this-server-takes-no-passwords-sign = このサーバーではパスワードを使用できません。IDプロバイダーでログインしてください。
api-belongs-to-another-user = は別のユーザーのものです
