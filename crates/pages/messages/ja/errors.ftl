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

# Texts of the API

api-sign-in-first = 先にログインしてください
api-you-must-be-signed-in-to = このページを見るにはログインが必要です。
api-this-page-has-expired = このページの有効期限が切れています
api-it-has-already-been-used-or = すでに使用されたか、時間が経ちすぎています。アプリに戻って、もう一度ログインしてください。
api-this-login-cannot-continue = このログインは続行できません
api-the-application-sent-an-invalid-request = アプリから無効なリクエストが送られたか、アプリの登録内容が変わりました。アプリに戻って、もう一度お試しください。それでも解決しない場合は、次のメッセージを開発者に送ってください：
api-does-not-belong-to-a-registered = 登録されたアプリのものではありません
api-belongs-to-an-application-that-has = ページを開いたあとに変更されたアプリのものです
api-must-equal-a-registered-redirect-uri = アプリに登録されたリダイレクトURIと完全に一致していなければなりません
api-must-be-sent-only-once = 一度だけ送ってください
api-makes-the-request-longer-than-n = リクエストが{ $n1 }文字を超えています
api-invalid-parameters = パラメーターが正しくありません
api-unauthorized = 認証が必要です
api-the-access-token-is-invalid-or = アクセストークンが無効か、有効期限が切れています。もう一度ログインしてください。
api-sign-in-failed = ログインできませんでした
api-the-username-e-mail-address-or = 名前、メールアドレス、またはパスワードが正しくありません。
api-forbidden = 許可されていません
api-registration-is-closed = このサーバーでは登録を受け付けていません。
api-is-invalid-has-expired-or-has = 無効か、期限切れか、使用済みです。新しい招待を依頼してください
api-is-required-registration-on-this-server = 必須です。このサーバーの登録には招待が必要です
api-this-form-has-expired-or-comes = このフォームは有効期限が切れているか、別のサイトから送られたものです。前のページに戻って再読み込みし、もう一度お試しください。ブラウザーでCookieを有効にする必要があります。
api-this-belongs-to-another-user = これは別のユーザーのものです。
api-no-resource-has-this-identifier = このIDに該当するものはありません。
api-application-not-found = アプリが見つかりません
api-calendar-not-found = カレンダーが見つかりません
api-import-not-found = インポートが見つかりません
api-story-not-found = 記録が見つかりません
api-token-not-found = トークンが見つかりません
api-already-exists = すでに存在します
api-precondition-failed = データが変更されています
api-the-resource-has-changed-since-you = 読み込んだあとにデータが変更されました。読み込み直してから、もう一度お試しください。
api-too-many-requests = リクエストが多すぎます
api-too-many-attempts-wait-for-the = 試行回数が多すぎます。しばらく待ってから、もう一度お試しください。
api-service-unavailable = サービスを利用できません
api-the-tracker-is-unavailable-or-limits = トラッカーが利用できないか、リクエストを制限しています。しばらく待ってから、もう一度お試しください。
api-the-database-is-temporarily-unavailable-try = データベースが一時的に利用できません。少し待ってから、もう一度お試しください。
api-other-requests-are-changing-the-same = 同じデータが他のリクエストによって変更されています。少し待ってから、もう一度お試しください。
api-the-request-took-too-long-and = リクエストに時間がかかりすぎたため、中止されました。もう一度お試しいただくか、一度に送信するデータを減らしてください。
api-internal-server-error = サーバー内部エラー
api-something-went-wrong-on-our-side-the = サーバー側で問題が発生しました。エラーは記録されました。
api-moved-permanently = 移動しました
api-paths-do-not-end-with-a = アドレスの末尾にスラッシュは付きません。正しいアドレスに移動します。
api-malformed-body = リクエストの本文が正しくありません
api-the-form-must-be-encoded-in = フォームはUTF-8で送ってください。
api-the-body-ended-early-send-the = リクエストが途中で終わっています。もう一度すべて送ってください。
api-malformed-request = リクエストが正しくありません
api-the-address-is-too-long-use = アドレスが長すぎます。65,534文字以内にしてください。
api-not-found = ページが見つかりません
api-no-endpoint-has-this-path-the = このアドレスのページはありません。APIリファレンスは/referenceと/v1/openapi.jsonにあります。
api-method-not-allowed = 許可されていないメソッドです
api-this-path-does-not-support-this = このアドレスはこのメソッドに対応していません。対応するメソッドはAllowヘッダーにあります。
api-body-too-large = リクエストが大きすぎます
api-request-bodies-are-limited-to-64 = リクエストの本文は64 KBまでです。
api-unsupported-media-type = 対応していない形式です
api-this-page-accepts-only-its-own = このページは、このページのフォーム（application/x-www-form-urlencoded）だけを受け付けます。
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
