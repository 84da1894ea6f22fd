# Every page

page-skip = 本文へ移動
page-navigation = メインナビゲーション
page-today = 今日
page-list = マイリスト
page-seasons = シーズン
page-calendar = カレンダー
page-statistics = 統計
page-songs = 楽曲
page-sign-in = ログイン
page-sign-up = アカウント作成
page-account = アカウントメニュー
page-my-profile = プロフィール
page-my-year = 今年のまとめ
page-settings = 設定
page-sign-out = ログアウト
page-find = アニメや楽曲を検索
page-search = アニメを検索
page-search-button = 検索
page-start = トップページへ
page-error-title = エラー：{ $title }
page-footer = Kirokuは「記録」という意味です。Cookieはログイン状態の維持、フォームの保護、表示設定の保存、次回ログイン時のブラウザーの識別にのみ使用します。
page-footer-images = このページの画像は、カタログの情報源のサーバーから読み込まれます。
page-footer-no-images = このページは他のサイトから何も読み込みません。
page-import = リストをインポート
page-developers = 開発者の方へ
page-applications = 登録したアプリ
page-style-guide = スタイルガイド

# Search while typing

suggest-results = { $count }件の候補
suggest-all = 「{ $search }」の検索結果をすべて表示
suggest-none = 「{ $search }」に一致するものはありません。
suggest-plan = 「{ $title }」を「見たい」に追加

# Sign-out without the proof that a page of this site asks for it

sign-out-question = このブラウザーでKirokuからログアウトしますか？

# Dates and times

date-day = { $year }年{ $month }月{ $day }日
date-month = { $year }年{ $month }月
date-year = { $year }年
date-moment = { $date } { $time } { $zone }
wait-minutes = { $count }分
wait-hours = { $count }時間

# Errors of all pages

api-page-not-found = ページが見つかりません
