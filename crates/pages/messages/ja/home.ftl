# The start page of a signed-in user

home-title = ホーム
home-empty = リストにはまだ何もありません。
home-welcome = リストを取り込む・新しく始める
home-continue = 続きを見る
home-all-current = 視聴中の作品をすべて表示（{ $count }件）
home-airing = 今日と明日の放送
home-tomorrow = 明日
home-next = 次に見るアニメ
home-sequel = 「{ $title }」の続編
home-planned = 「見たい」に追加済み・現在放送中
home-because = 「{ $title }」を見終わったあなたに
