security-prove = ログイン方法を変更するには、まず本人確認をしてください。
security-prove-button = 本人確認をする

# Password

password-set = パスワードでログインできます。
password-none = このアカウントにはパスワードがありません。
password-open = 新しいパスワードを設定する
password-explanation = パスワードを変更すると、ほかのすべての端末からログアウトし、すべてのアクセストークンが取り消されます。
password-button = パスワードを変更
password-first-open = パスワードを設定する
password-first-explanation = 名前またはメールアドレスと、このパスワードでログインできるようになります。ほかのすべての端末からログアウトし、すべてのアクセストークンが取り消されます。
password-first-button = パスワードを設定

# Sessions

session-heading = ログイン中のブラウザー
session-explanation = 心当たりのないものがあれば、ログアウトさせて、パスワードを変更してください。
session-own = このブラウザー
session-unknown = 不明
session-unknown-browser = 不明なブラウザー
session-network = ネットワーク：{ $network }
session-times = ログイン：{ $begun }、最終利用：{ $used }
session-more = ほかに古いものが{ $count }件あります。「すべての端末からログアウト」を押すと、これらもログアウトします。
session-ended = そのブラウザーをログアウトしました。
