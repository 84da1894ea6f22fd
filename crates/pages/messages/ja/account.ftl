# Accounts

account-name = 名前
account-email = メールアドレス
account-password = パスワード
account-new-password = 新しいパスワード
account-signed-out-everywhere = すべての端末からログアウトし、すべてのアクセストークンを取り消しました。

# Sign up and sign in

sign-up-name-hint = 3～32文字。aからzの英字、数字、_、-が使えます。名前は公開されます。
sign-up-email-hint = 公開されません。確認用のリンクをお送りします。
sign-up-has-account = アカウントをお持ちの方：{ $sign-in }
sign-up-closed = このサーバーでは新しいアカウントを作成できません。
sign-up-needs-invitation = アカウントの作成には招待が必要です。招待のリンクを開いてください。
sign-up-invalid-invitation = 招待が無効か、期限切れか、使用済みです。新しい招待を依頼してください。
sign-in-name = 名前またはメールアドレス
sign-in-sign-up = アカウントを作成
sign-in-draft = セッションの有効期限が切れました。記録は保存されていませんが、入力した内容は残っています。ログインすると続きから入力できます。
door-word = Kirokuは、見たアニメを1話ずつ、スコアやメモと一緒に残していく記録帳です。

# Forgotten password

forgot-title = パスワードをお忘れですか？
forgot-hint = アカウントのメールアドレス。新しいパスワードを設定するためのリンクをお送りします。
forgot-button = リンクを送る
forgot-back = ログインに戻る
forgot-sent-title = メールをご確認ください
forgot-sent = このメールアドレスのアカウントがある場合は、リンクをお送りしました。
forgot-sent-hint = リンクの有効期限は1時間です。見つからない場合は、迷惑メールフォルダーを確認するか、別のメールアドレスをお試しください。
reset-title = 新しいパスワードの設定
reset-explanation = すべての端末からログアウトします。
reset-button = パスワードを設定
reset-again = 新しいリンクをリクエスト
reset-done = パスワードを変更しました

# Verification of the e-mail address

verify-title = メールアドレスの確認
verify-explanation = ボタンを押してメールアドレスを確認してください。
verify-button = メールアドレスを確認する
verify-again = 新しいリンクは{ $profile }からリクエストできます。
verify-again-profile = 設定
verify-done = メールアドレスを確認しました
verify-profile = 設定へ

# Consent to an application

consent-title = Kirokuでログイン
consent-asks = { $application }がアカウント{ $user }へのアクセスを求めています。
consent-owner = 登録者は{ $owner }です。
consent-abilities = アプリができること
consent-read = 視聴履歴、名前、メールアドレス、設定を読み取る
consent-write = 視聴履歴と設定を変更する
consent-playback = 視聴した内容を報告する
consent-write-limits = パスワードやトラッカーの変更、アカウントの削除はできません。
consent-read-limits = 何も変更できません。
consent-playback-limits = アカウントの読み取りや、他の変更はできません。
consent-days = アクセスできる期間は{ $count }日間、または設定で連携を解除するまでです。
consent-return = その後、{ $destination }に戻ります。
consent-allow = 許可する
consent-deny = 拒否する
consent-other = { $user }さんではありませんか？
consent-other-button = 別のユーザーでログイン
