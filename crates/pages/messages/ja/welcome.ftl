# The page after sign-up, and the ways to begin

welcome-title = どのアニメを見ましたか？
welcome-step-account = 1 アカウント
welcome-step-seen = 2 見たアニメ
welcome-step-suggestions = 3 おすすめ
welcome-lead = ようこそ、{ $name }さん。見たことのあるアニメを3作品選ぶと、あなたに合ったおすすめが表示されます。
welcome-find = 作品を探す
welcome-find-hint = タイトル（言語は問いません）
welcome-seen = 見た
welcome-progress = { $wanted }作品中{ $seen }作品を見ました。
welcome-missing = あと{ $count }作品で、おすすめが表示されます。
welcome-enough = { $seen }作品を見ました。おすすめの準備ができました。
welcome-continue = 次へ
welcome-bring = これまでのリストを取り込む
welcome-bring-file = ほかのサービスからエクスポートしたファイルを取り込めます。
welcome-bring-trackers = サービスのアカウントと連携することもできます。連携すると、両方のリストが同期されます。
welcome-file = ファイルを取り込む
welcome-play = プレーヤーをつなぐ
welcome-play-explanation = メディアサーバーや動画プレーヤーから視聴した内容が送られ、リストに自動で反映されます。
welcome-skip = あとで
welcome-more = ほかの始め方
