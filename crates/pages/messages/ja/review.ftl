# The review of a year

review-title = { $name }の{ $year }年アニメまとめ
review-title-own = { $year }年のアニメまとめ
review-summary = 視聴完了{ $anime }作品、全{ $episodes }話、{ $hours }時間。
review-nothing = { $year }年に視聴完了日のある作品はありません。
review-hint = 作品は、初めて視聴完了した年に、その視聴の話数で数えます。視聴完了日のない作品はどの年にも含まれません。
review-favorites = お気に入り
review-ends = 最初と最後
review-first = この年の最初
review-last = この年の最後
review-finished = 視聴完了
review-more = ほか{ $count }作品（リストで見る）
review-share = 共有用ページ
review-make-public = プロフィールを公開すると共有できます
review-years = 年ごとのまとめ
review-picture = 画像をダウンロード
review-address = 共有用ページのアドレス
review-highest = 最高スコアは「{ $title }」です。
review-month-unknown = 月は不明
