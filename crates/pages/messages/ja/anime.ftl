# Start page

start-anime-count = アニメ{ $count }作品
start-song-count = 楽曲{ $count }曲

# One anime

anime-untitled = アニメ { $id }
anime-episode-count = 全{ $count }話
anime-sign-in = ログインしてリストに追加
anime-description = あらすじ
anime-no-description = あらすじはまだありません。
anime-episodes = 話数
anime-season = シーズン
anime-adult = 成人向け
anime-studios = 制作会社
anime-tags = タグ
anime-synonyms = 別名
anime-titles = タイトル
anime-songs = 楽曲
anime-more-songs = ほか{ $count }曲
anime-links = 外部リンク
anime-trailer = 予告編
anime-similar = おすすめ
anime-minutes = { $count }分
anime-episodes-of = 全{ $count }話・各{ $minutes }分
anime-since = { $date }から
anime-scored = スコア{ $score }
anime-watched = 第{ $number }話を見た
anime-watched-once = 見た
anime-episode-less = 1話戻す
anime-add-note = メモを追加
anime-invitation = 進み具合やスコア、メモと一緒にリストに記録できます。
anime-order = 見る順番
anime-order-dashed = 点線：スペシャルと短編
anime-order-here = この作品
anime-order-earlier = これより前にも作品があります。
anime-order-later = この後にも作品があります。
anime-next = 次の放送
anime-next-day = { $date }（{ $weekday }）
anime-next-utc = UTCでの日付です。時刻はわかりません。
anime-in-days = { $count ->
    [0] 今日
    [1] 明日
   *[other] { $count }日後
}
anime-trailer-play = 予告編を再生（YouTube）
anime-trailer-watch = 予告編を見る
anime-lists = Kirokuでの登録数
anime-scores = Kirokuでのスコア
anime-scores-own = 赤はあなたのスコア
anime-scores-label = スコアは{ $count }件。最も多いのは{ $first }から{ $last }です。
anime-users = { $count }人がリストに入れています。
anime-mean = 平均スコアは{ $score }です。
anime-more-titles = ほか{ $count }件

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

# Languages of titles

title-language-rj = ローマ字
title-language-af = アフリカーンス語
title-language-ar = アラビア語
title-language-bg = ブルガリア語
title-language-bn = ベンガル語
title-language-bs = ボスニア語
title-language-ca = カタルーニャ語
title-language-cs = チェコ語
title-language-da = デンマーク語
title-language-de = ドイツ語
title-language-el = ギリシャ語
title-language-en = 英語
title-language-eo = エスペラント語
title-language-es = スペイン語
title-language-et = エストニア語
title-language-eu = バスク語
title-language-fa = ペルシア語
title-language-fi = フィンランド語
title-language-fr = フランス語
title-language-gl = ガリシア語
title-language-he = ヘブライ語
title-language-hi = ヒンディー語
title-language-hr = クロアチア語
title-language-ht = ハイチ・クレオール語
title-language-hu = ハンガリー語
title-language-id = インドネシア語
title-language-is = アイスランド語
title-language-it = イタリア語
title-language-jp = 日本語
title-language-ka = ジョージア語
title-language-ko = 韓国語
title-language-la = ラテン語
title-language-lt = リトアニア語
title-language-lv = ラトビア語
title-language-mn = モンゴル語
title-language-ms = マレー語
title-language-my = ビルマ語
title-language-ne = ネパール語
title-language-nl = オランダ語
title-language-no = ノルウェー語
title-language-pl = ポーランド語
title-language-pt = ポルトガル語
title-language-ro = ルーマニア語
title-language-ru = ロシア語
title-language-si = シンハラ語
title-language-sk = スロバキア語
title-language-sl = スロベニア語
title-language-sq = アルバニア語
title-language-sr = セルビア語
title-language-sv = スウェーデン語
title-language-ta = タミル語
title-language-te = テルグ語
title-language-th = タイ語
title-language-tl = タガログ語
title-language-tr = トルコ語
title-language-tt = タタール語
title-language-uk = ウクライナ語
title-language-ur = ウルドゥー語
title-language-vi = ベトナム語
title-language-zh = 中国語
title-language-other = その他の言語

# Genres

genre-action = アクション
genre-adventure = アドベンチャー
genre-boys-love = ボーイズラブ
genre-comedy = コメディ
genre-drama = ドラマ
genre-ecchi = お色気
genre-fantasy = ファンタジー
genre-girls-love = ガールズラブ
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
