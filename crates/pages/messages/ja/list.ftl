# My list

list-title = マイリスト
list-statuses = 視聴状況
list-all = すべて
list-filters = 絞り込みと並べ替え
list-search = マイリストを検索
list-genre = ジャンル
list-all-genres = すべてのジャンル
list-sort = 並べ替え
list-sort-changed = 最終更新
list-sort-progress = 進み具合
list-apply = 適用
list-clear = 絞り込みを解除
list-count = { $count ->
    [0] 該当する作品はありません。
   *[other] { $count }件
}
list-empty = リストは空です。アニメを探して追加するか、ほかのサービスのリストをインポートしてください。
list-import = リストをインポート
list-progress = { $all }話中{ $watched }話
list-progress-unknown = { $watched }話
list-next = 第{ $number }話
list-edit = 編集
list-undo = 元に戻す
list-done-next = を視聴済みにしました。
list-done-undone = 変更を元に戻しました。
list-done-saved = 保存しました。
list-done-deleted = 削除しました。
list-done-status = を「{ $status }」にしました。
quick-open = { $title }をリストに追加、または状態を変更

# An entry

story-panel = マイリスト
story-plan = 「見たい」に追加
story-add = 詳細を付けて追加
story-status = 視聴状況
story-episode = 視聴した話数
story-episode-hint = { $count }話まで公開されています。
story-no-episodes = 話数はまだ分かっていません。
story-score = スコア
story-score-hint = 0.1から100まで。スコアを付けない場合は空欄にしてください。
story-started = 見始めた日
story-finished = 見終わった日
story-date-hint = 2016-08-26、2016-08、2016 の形式で入力してください。
story-repeats = 再視聴の回数
story-notes = メモ
story-private = 自分だけに表示する
story-private-short = 非公開
story-cancel = キャンセル
story-edit-title = 作品の記録を編集
story-draft = ログインしました。記録はまだ保存されていません。
story-unknown-anime = カタログから削除されたアニメ
story-delete-title = この記録を削除しますか？
story-delete-question = スコア、日付、メモとともにリストから削除されます。この操作は取り消せません。
story-delete-linked = 連携しているトラッカーにこのアニメの記録があると、次の同期で再び追加されます。先にトラッカー側で削除してください。
story-changed-title = 記録が変更されています
story-changed = ページを開いた後に、別のタブなどで記録が変更されました。何も保存されていません。現在の内容は次のとおりです。
story-deleted-meanwhile = ページを開いた後に記録が削除されました。何も保存されていません。ここから再び追加できます。
story-unsaved-notes = 送信されたが保存されなかったメモ：

# Errors of the form

api-must-be-one-of-the-listed = 表示されている選択肢から選んでください
api-must-be-a-whole-number = 整数で入力してください
api-must-be-a-number-from-0-to-100 = 0から100までの数を、小数点以下1桁までで入力してください
api-must-be-a-date-from-1900 = 1900年以降の日付を YYYY、YYYY-MM、YYYY-MM-DD の形式（例：2016-08-26）で入力してください
api-must-have-at-most-2000-characters = 2,000文字以内にしてください
api-must-not-have-control-characters-other = タブと改行以外の制御文字は使えません
api-must-not-be-above-the-number = 公開済みの話数までにしてください
