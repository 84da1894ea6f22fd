# Applications of a user

developer-title = 開発者
developer-explanation = アプリを登録すると、利用者がKirokuのアカウントでログインし、アプリがそのデータにアクセスできるようになります。カタログを読むだけのアプリは登録不要です。
developer-none = 登録したアプリはありません。
developer-register = アプリを登録
developer-register-button = 登録する
developer-name-hint = 60文字以内。同意ページで利用者に表示されます。
developer-kind-field = アプリの種類
developer-kind-hint = 後から変更できません。
developer-kind-confidential = コンフィデンシャル：サーバーで動作し、シークレットを保持します
developer-kind-public = パブリック：ブラウザーや端末で動作し、PKCEを使います
developer-confidential = コンフィデンシャル
developer-public = パブリック
developer-uris = リダイレクトURI
developer-uris-hint = 1行に1つ、10個まで。アプリが送るとおりに正確に入力してください。https://、ループバックアドレス、またはcom.example.app:/callbackのような独自スキームが使えます。
developer-implicit = インプリシットグラントを許可
developer-implicit-hint = 非推奨：トークンがアドレスに含まれ、漏れるおそれがあります。PKCEを使う認可コードグラントは、ブラウザーや端末でも使えます。

# One application

developer-done-created = アプリを登録しました。
developer-done-saved = 変更を保存しました。
developer-done-deleted = アプリを削除しました。利用者の連携を解除しています。利用者が多い場合は数分かかることがあります。
developer-done-secret = アプリの新しいシークレットを作成しました。古いシークレットは使えなくなりました。
developer-identity = 識別情報
developer-client-id = クライアントID
developer-client-id-copy = クライアントID
developer-details = 詳細
developer-save = 変更を保存
developer-secret = シークレット
developer-secret-explanation = Kirokuはシークレットのハッシュだけを保存するため、もう一度表示することはできません。新しいシークレットを作成すると、古いものはすぐに置き換えられます。
developer-secret-button = 新しいシークレットを作成
developer-new-secret = シークレット
developer-new-secret-copy = 今すぐコピーしてください。もう一度表示することはできません。
developer-new-secret-explanation = サーバーに保管し、利用者に届くものには含めないでください。
developer-client-secret = クライアントシークレット
developer-client-secret-copy = クライアントシークレット
developer-delete-explanation = アプリを削除すると、すべての利用者の連携が解除されます。
developer-delete-link = このアプリを削除
developer-all = 登録したアプリの一覧
developer-deletion-title = アプリを削除しますか？
developer-deletion = この操作は取り消せません。{ $name }のすべての利用者の連携が解除され、アクセストークンが取り消され、クライアントIDとシークレットは使えなくなります。
developer-deletion-button = アプリを削除する
developer-deletion-keep = アプリを残す

# OAuth endpoints

developer-endpoints = エンドポイント
developer-endpoint-authorization = 認可エンドポイント
developer-endpoint-token = トークンエンドポイント
developer-endpoint-revocation = 失効エンドポイント
developer-endpoint-metadata = メタデータ（RFC 8414）
developer-endpoints-hint = クライアントの認証情報は、リクエストの本文かHTTP Basicで送ってください。{ $state }とPKCEのチャレンジ（S256）を必ず送ってください。
