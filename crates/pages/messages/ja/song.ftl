# Songs

song-search = 楽曲・アーティストを検索
song-count = { $count }曲
song-count-of-artist = { $artist }の楽曲：{ $count }曲
song-all = { $count }曲をすべて表示
song-nothing = 該当する楽曲がありません。別の表記をお試しください。
song-artist = アーティスト
song-album = アルバム
song-duration = 長さ
song-placeholder = 曲名・アーティスト・アニメ
song-from = 「{ $text }」の楽曲
song-every = すべての楽曲
song-others = このアニメのほかの楽曲
song-search-anime = アニメを検索
