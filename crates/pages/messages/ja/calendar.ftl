# Calendar

calendar-title = カレンダー
calendar-lead = 「視聴中」または「見たい」のアニメのうち、これから7日間に放送される作品です。放送日は協定世界時（UTC）の日付なので、お住まいの地域では前後に1日ずれることがあります。
calendar-today = 今日
calendar-nothing = リストの作品はありません。
calendar-later = まもなく放送開始
calendar-unknown = 放送曜日が不明
calendar-next-episode = 次は第{ $episode }話
calendar-waiting = 未視聴{ $count }話
calendar-empty = リストの中に、放送中または4週間以内に始まるアニメはありません。
calendar-browse = 今期のアニメを見る
calendar-feed = カレンダーアプリで見る
calendar-feed-lead = Googleカレンダー、Appleのカレンダー、Outlook、Thunderbirdなどのアプリにアドレスを追加すると、同じアニメが表示されます。非公開の記録は表示されません。
calendar-feed-address = アドレス
calendar-feed-secret = このアドレスを知っている人は誰でもカレンダーを見ることができます。新しいアドレスを作成すると、このアドレスはすぐに使えなくなります。パスワードを変更したとき、またはすべての端末からログアウトしたときも同様です。
calendar-feed-make = アドレスを作成
calendar-feed-renew = 新しいアドレスを作成
calendar-feed-remove = アドレスを削除
calendar-renewed = カレンダーのアドレスを新しくしました。以前のアドレスは使えません。
calendar-removed = アドレスを削除しました。今後は使えません。
calendar-name = Kiroku – アニメ
