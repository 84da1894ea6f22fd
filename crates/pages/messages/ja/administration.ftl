# The page for administrators

administration-title = 管理
administration-version = バージョン
administration-users = ユーザー数（概数）
administration-stories = リストの記録数（概数）
administration-data-anime = アニメのデータ
administration-data-identifiers = 識別子
administration-data-seasons = シーズン
administration-data-at = { $date }（{ $days }日前）
administration-data-old = カタログのデータが30日以上前のものです。更新するか、別の情報源を選んでください。公開が終了した可能性があります。
administration-no-refresh = カタログはまだ情報源から更新されていません。
administration-refreshed = 前回の更新：{ $began }から{ $ended }まで。
administration-refresh-failed = 更新が途中で終わりました：
administration-source-read = 読み込み済み
administration-source-unchanged = 変更なし
administration-source-not-due = 未確認：一日に一度だけ確認します
administration-source-failed = 失敗：
administration-stale-since = { $time }から未更新
administration-current-at = { $time }時点で最新
administration-source-counts = 追加{ $added }件、変更{ $changed }件、スキップ{ $skipped }件
administration-invitations = 招待
administration-registration-open = 誰でも登録できます。招待は必要ありません。
administration-registration-invite = 登録には招待が必要です。招待は、一人がアカウントを一つ作成できるリンクです。
administration-registration-closed = 登録を受け付けていません。招待は使えません。
administration-days = 有効日数
administration-days-hint = 1から90までの整数。
administration-invite = 招待を作成
administration-link = 招待のリンク
administration-link-copy = リンク
administration-link-hint = 招待したい人に送ってください。このリンクは再び表示されません。{ $date }まで使えます。
administration-limit = 同時に有効な招待は最大{ $count }件です。
administration-no-invitation = 有効な招待はありません。
administration-valid-until = { $date }まで有効
administration-made = { $date }に作成
administration-revoked = 招待を取り消しました。

# Errors of this page

api-only-administrators-can-do-this = 管理者だけが行えます。
api-cannot-be-used-there-are-n = 使用できません：招待がすでに{ $n1 }件あります。先に一つ取り消してください
api-must-be-a-whole-number-from = { $n1 }から{ $n2 }までの整数で入力してください
