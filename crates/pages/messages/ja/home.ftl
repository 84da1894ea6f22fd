# The pages at /: the home page of a signed-in user, and the landing page of visitors

home-title = 今日
home-offline = 現在リストを読み込めません。記録は失われていません。しばらくしてからもう一度お試しください。
home-empty = リストにはまだ何もありません
home-empty-lead = 視聴中のアニメが、次の話と放送日とともにここに表示されます。
home-welcome = リストを取り込む・新しく始める
home-continue = 続きを見る
home-nothing = 視聴中の作品はありません。視聴中のアニメはここに表示されます。
home-all-current = すべて（{ $count }件）
home-plus = +1：「{ $title }」の第{ $number }話を見た
home-week-title = これから7日間の放送
home-week = { $count ->
   *[other] 件の放送（7日間）
}
home-completed = { $count ->
   *[other] 作品を視聴完了
}
home-listed = { $count ->
   *[other] 作品をリストに登録
}
home-airing = 放送予定
home-calendar = 週間カレンダー
home-tomorrow = 明日
home-next = 次に見るアニメ
home-sequel = 「{ $title }」の続編
home-planned = 「見たい」に追加済み・現在放送中
home-because = 「{ $title }」を見終わったあなたに
home-season-all = 今期のアニメ
home-best = 高評価のアニメ
home-best-all = すべてのアニメ
landing-title = 見たアニメを、記録する。
landing-lead = 話数、スコア、主題歌、メモ。アニメの記録を静かに残せます。記録はあなたのもので、書き出しも共有も自由です。広告も追跡もありません。
landing-begin = 記録を始める
landing-browse = 見てまわる
landing-import = AniListやMyAnimeListのリストを取り込む
landing-tally = 1話ごとに1本の線
landing-tally-lead = 次に見る話がすぐにわかり、+1を押すと線が増えます。記録はこのように表示されます。
landing-week = 1週間の放送
landing-week-lead = カレンダーでは、見ているアニメの放送日と、まだ見ていない話数がわかります。現在放送中の作品：
landing-year = 残しておきたい1年
landing-year-lead = 見終わった作品がその年の壁に並び、画像として共有できます。
