# The selection of entries of a list

selection-title = 選択した作品を変更
selection-selected = 件を選択中
selection-keep = 変更しない
selection-score-hint = 空欄のままならスコアは変わりません。0を入力すると消去します。
selection-private = 公開範囲
selection-make-private = 自分のみ
selection-make-public = プロフィールの設定に従う
selection-apply = 適用
selection-remove = リストから削除…
selection-all = このページの作品をすべて選択
selection-back = リストに戻る
selection-done-changed = { $count ->
    [0] 変更された作品はありません。
   *[other] { $count }件を変更しました。
}
selection-done-deleted = { $count ->
    [0] 削除された作品はありません。
   *[other] { $count }件を削除しました。
}
selection-done-undone = { $count ->
    [0] 元に戻すものはもうありません。
   *[other] { $count }件を元に戻しました。
}
selection-skipped-title = 変更されなかった作品があります
selection-skipped = 次の{ $count }件は変更されませんでした。
selection-changed-meanwhile = は、リストを開いた後に別のタブなどで変更されています。
selection-changed-since = は、その後に変更されています。後の変更はそのまま残ります。
selection-not-on-list = は、リストにありません。
selection-not-in-catalogue = は、削除のみできます。
selection-delete-title = これらの記録を削除しますか？
selection-delete-question = { $count }件が、スコア、日付、メモとともにリストから削除されます。次のページで元に戻せます。
selection-delete-linked = 連携しているトラッカーにこれらのアニメの記録があると、次の同期で再び追加されます。先にトラッカー側で削除してください。
selection-invalid-title = 何も変更されていません
selection-invalid = フォームの内容が正しくありません。前のページに戻って再読み込みしてください。
selection-none = 前のページに戻って、作品を1件以上選択してください。
selection-too-many = 一度に選択できるのは{ $count }件までです。前のページに戻って選択を減らしてください。
selection-no-change = 前のページに戻って、視聴状況、スコア、公開範囲のいずれかを選んでください。

# Views and orders

list-sort-started = 見始めた日
list-sort-finished = 見終わった日
list-sort-airing = 放送曜日

# Keyboard shortcuts

shortcuts-title = キーボードショートカット
shortcuts-where = リストの作品、またはその中のボタンなどにフォーカスがあるときに使えます。
shortcuts-next = 次の作品
shortcuts-previous = 前の作品
shortcuts-episode = 次の話を視聴済みにする
shortcuts-select = 作品を選択
shortcuts-search = アニメや楽曲を検索
shortcuts-help = このヘルプを表示
shortcuts-close = 閉じる
