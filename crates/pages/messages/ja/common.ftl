# Every page

page-skip = 本文へ移動
page-navigation = メインナビゲーション
page-menu = メニュー
page-browse = 探す
page-profile = プロフィール
page-sign-in = ログイン
page-sign-up = 新規登録
page-search = アニメを検索
page-search-button = 検索
page-start = トップページへ
page-error-title = エラー：{ $title }
page-footer = Kirokuは「記録」という意味です。Cookieはログイン状態の維持、フォームの保護、表示設定の保存、次回ログイン時のブラウザーの識別にのみ使用します。
page-footer-images = このページの画像は、カタログの情報源のサーバーから読み込まれます。
page-footer-no-images = このページは他のサイトから何も読み込みません。
page-developers = 開発者の方へ
page-applications = 登録したアプリ
page-style-guide = スタイルガイド

# Dates and times

date-day = { $year }年{ $month }月{ $day }日
date-month = { $year }年{ $month }月
date-year = { $year }年
date-moment = { $date } { $time } { $zone }
wait-minutes = { $count }分
wait-hours = { $count }時間

# Errors of all pages

api-page-not-found = ページが見つかりません
