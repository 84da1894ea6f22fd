# Forms

form-fault = { $subject }：{ $reason }。
form-invitation = 招待
form-link = リンク
form-too-many-attempts = 試行回数が多すぎます。{ $wait }後にもう一度お試しください。
form-password-hint = 8文字以上。記号よりも、いくつかの単語のほうが覚えやすいです。
form-save = 保存
form-delete = 削除
form-kind = 種類
form-title = タイトル

# Copy buttons

copy-button = コピー
copy-done = コピーしました
copy-selected = 選択しました
copy-help = 選択しました。キーボードでコピーしてください。
copy-command = コマンド

# Errors as pages

error-parameter = { $name }：{ $reason }。
error-not-found = このページはありません
error-not-found-help = アドレスを確認するか、アニメを検索してください。
error-missing-help = 削除されたか、アドレスが正しくない可能性があります。
error-method = このアドレスはフォームの送信先です
error-method-help = 直接開くことはできません。フォームのあるページを開いて、そこから送信してください。
error-too-large = 送信した内容が大きすぎます
error-too-large-help = フォームは64 KBまでです。長い文章を短くして、もう一度送信してください。
error-malformed = 送信した内容を読み取れませんでした
error-malformed-help = ページを開き直して、フォームをもう一度送信してください。
error-invalid = 使えない値があります
error-form-expired = フォームの有効期限が切れました
error-form-expired-help = 何も変更されていません。ページを開き直して、フォームをもう一度送信してください。ブラウザーでCookieを有効にする必要があります。
error-forbidden = この操作は許可されていません
error-changed = その間に内容が変更されました
error-changed-help = 何も変更されていません。ページを開き直して今の内容を確認してから、もう一度変更してください。
error-too-many = 試行回数が多すぎます
error-too-many-help = 数分待ってから、もう一度お試しください。
error-internal = 問題が発生しました
error-unavailable = 現在Kirokuは応答できません
error-unavailable-help = データは失われていません。少し待ってから、もう一度お試しください。
error-try-again = もう一度試す
error-open-page = ページを開き直す
error-browse = すべてのアニメを見る
account-unreadable = 現在アカウントを読み込めないため、リストなしで表示しています。少し待ってから、もう一度お試しください。

# Texts of the API

api-sign-in-first = 先にログインしてください
api-you-must-be-signed-in-to = このページを見るにはログインが必要です。
api-this-page-has-expired = このページの有効期限が切れています
api-it-has-already-been-used-or = すでに使用されたか、時間が経ちすぎています。アプリに戻って、もう一度ログインしてください。
api-this-sign-in-cannot-continue = このログインは続行できません
api-the-application-sent-an-invalid-request = アプリから無効なリクエストが送られたか、アプリの登録内容が変わりました。アプリに戻って、もう一度お試しください。それでも解決しない場合は、次のメッセージを開発者に送ってください：
api-does-not-belong-to-a-registered = 登録されたアプリのものではありません
api-belongs-to-an-application-that-has = ページを開いたあとに変更されたアプリのものです
api-must-equal-a-registered-redirect-uri = アプリに登録されたリダイレクトURIと完全に一致していなければなりません
api-must-be-sent-only-once = 一度だけ送ってください
api-makes-the-request-longer-than-n = リクエストが{ $n1 }文字を超えています
api-unauthorized = 認証が必要です
api-the-access-token-is-invalid-or = アクセストークンが無効か、有効期限が切れています。もう一度ログインしてください。
api-sign-in-failed = ログインできませんでした
api-the-username-e-mail-address-or = 名前、メールアドレス、またはパスワードが正しくありません。
api-registration-is-closed = このサーバーでは登録を受け付けていません。
api-is-invalid-has-expired-or-has = 無効か、期限切れか、使用済みです。新しい招待を依頼してください
api-is-required-registration-on-this-server = 必須です。このサーバーの登録には招待が必要です
api-this-belongs-to-another-user = これは別のユーザーのものです。
api-application-not-found = アプリが見つかりません
api-calendar-not-found = カレンダーが見つかりません
api-import-not-found = インポートが見つかりません
api-story-not-found = 記録が見つかりません
api-token-not-found = トークンが見つかりません
api-already-exists = すでに存在します
api-something-went-wrong-on-our-side-the = サーバー側で問題が発生しました。エラーは記録されました。
api-moved-permanently = 移動しました
api-paths-do-not-end-with-a = アドレスの末尾にスラッシュは付きません。正しいアドレスに移動します。
api-the-form-must-be-encoded-in = フォームはUTF-8で送ってください。
api-the-body-ended-early-send-the = リクエストが途中で終わっています。もう一度すべて送ってください。
api-the-address-is-too-long-use = アドレスが長すぎます。65,534文字以内にしてください。
api-is-required = 必須項目です
api-must-be-given-only-once = 一度だけ指定してください
api-must-have-two-hexadecimal-digits-after = %の後には16進数が2桁必要です
api-must-be-valid-utf-8-after = デコードした結果が正しいUTF-8でなければなりません
api-must-be-one-of-the-two = 2つのうちから選んでください
api-must-have-at-least-8-characters = 8文字以上で入力してください
api-must-have-at-most-4096-bytes = 4096バイト以内で入力してください
api-is-too-common-choose-another-password = よく使われるパスワードです。別のパスワードを選んでください
api-must-not-be-the-username-or = アカウントの名前やメールアドレスは使えません
api-must-contain-only-letters-from-a = 使えるのはaからzの英字、数字、_、-だけです
api-must-have-3-to-32-characters = 3～32文字で入力してください
api-must-be-an-e-mail-address = name@example.comのようなメールアドレスを入力してください
api-is-already-taken = すでに使われています
api-is-already-verified = すでに確認されています
api-is-invalid-has-expired-or-has-already = 無効か、有効期限切れか、使用済みです。新しいリンクをリクエストしてください
api-is-wrong = 正しくありません
api-must-be-a-locale-code-of = enやpt-BRのような2～16文字の言語コードを入力してください
api-must-have-1-to-60-characters = 1～60文字で入力してください
api-must-not-contain-invisible-characters = 見えない文字は使えません
api-must-contain-a-visible-character = 見える文字を含めてください
api-cannot-be-used-you-have-n = すでにトークンが{ $n1 }個あります。先に1つ取り消してください
api-cannot-be-registered-you-have-n = すでにアプリが{ $n1 }個あります。先に1つ削除してください
api-must-have-at-least-one-address = アドレスを1つ以上入力してください
api-must-have-at-most-10-addresses = アドレスは10個までです
api-must-have-at-most-500-characters = 1つのアドレスは500文字までです
api-must-not-have-a-fragment = フラグメント（#）は使えません
api-must-contain-only-the-characters-of = URIで使える文字だけを入力してください。それ以外の文字は%でエンコードしてください
api-must-be-an-absolute-uri-with = https://、ループバックアドレス、または独自スキームの絶対URIを入力してください
api-must-begin-with-https-except-on = 127.0.0.1、[::1]、localhost以外では、https://で始まらなければなりません
api-must-not-have-a-user-name = ホストの前にユーザー名（@）は使えません
api-must-contain-a-valid-host-as = https://example.com/callbackのように有効なホストを含めてください
api-must-begin-with-https-or-with = https://か、com.example.app:/のような独自スキームで始まらなければなりません
