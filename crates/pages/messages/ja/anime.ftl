# Start page

start-anime-count = アニメ{ $count }作品
start-song-count = 楽曲{ $count }曲

# One anime

anime-untitled = アニメ { $id }
anime-episode-count = 全{ $count }話
anime-sign-in = ログインしてリストに追加
anime-description = あらすじ
anime-no-description = あらすじはまだありません。
anime-facts = 作品情報
anime-episodes = 話数
anime-duration = 1話の長さ
anime-start = 放送開始
anime-end = 放送終了
anime-weekday = 放送曜日
anime-season = シーズン
anime-rating = 対象
anime-adult = 成人向け
anime-studios = 制作会社
anime-tags = タグ
anime-synonyms = 別名
anime-titles = タイトル
anime-title-count = { $count }言語
anime-story-line = ストーリーの流れ
anime-before = 前の作品
anime-after = 次の作品
anime-songs = 楽曲
anime-more-songs = ほか{ $count }曲
anime-links = 外部リンク
anime-trailer = 予告編
anime-similar = おすすめ

song-opening = オープニング
song-ending = エンディング
song-other = 楽曲
song-listen = 聴く
song-preview = 試聴

# Enumerations

format-tv = TVアニメ
format-tv-short = ショートアニメ
format-movie = 映画
format-special = スペシャル
format-ova = OVA
format-ona = Webアニメ
format-music = ミュージックビデオ

release-finished = 放送終了
release-releasing = 放送中
release-not-yet-released = 放送前
release-cancelled = 制作中止

season-winter = 冬
season-spring = 春
season-summer = 夏
season-fall = 秋
season-of-year = { $year }年{ $season }

weekday-sunday = 日曜日
weekday-monday = 月曜日
weekday-tuesday = 火曜日
weekday-wednesday = 水曜日
weekday-thursday = 木曜日
weekday-friday = 金曜日
weekday-saturday = 土曜日

watch-current = 視聴中
watch-planning = 見たい
watch-completed = 視聴済み
watch-dropped = 視聴中止
watch-paused = 一時中断
watch-repeating = 再視聴中

# Genres

genre-action = アクション
genre-adventure = アドベンチャー
genre-boys-love = BL
genre-comedy = コメディ
genre-drama = ドラマ
genre-ecchi = エッチ
genre-fantasy = ファンタジー
genre-girls-love = 百合
genre-gourmet = グルメ
genre-historical = 歴史
genre-horror = ホラー
genre-isekai = 異世界
genre-kids = キッズ
genre-mahou-shoujo = 魔法少女
genre-mecha = メカ
genre-music = 音楽
genre-mystery = ミステリー
genre-psychological = 心理
genre-romance = 恋愛
genre-school = 学園
genre-sci-fi = SF
genre-slice-of-life = 日常
genre-space = 宇宙
genre-sports = スポーツ
genre-supernatural = 超常現象
genre-thriller = スリラー

# Errors

api-anime-not-found = アニメが見つかりません
api-must-have-a-letter-or-a = 文字か数字を含めてください
api-must-be-a-whole-number-from-0 = 0から9999までの整数で入力してください
