# The page after sign-up

welcome-title = ようこそ、{ $name }さん
welcome-lead = リストはまだ空です。お好きな方法で始めてください。
welcome-bring = これまでのリストを取り込む
welcome-bring-file = ほかのサービスからエクスポートしたファイルを取り込めます。
welcome-bring-trackers = サービスのアカウントと連携することもできます。連携すると、両方のリストが同期されます。
welcome-file = ファイルを取り込む
welcome-find = 見たことのあるアニメを3本探す
welcome-find-explanation = 検索するか、カタログの高評価の作品から選んでください。アニメのページからリストに追加できます。
welcome-play = プレーヤーをつなぐ
welcome-play-explanation = メディアサーバーや動画プレーヤーから視聴した内容が送られ、リストに自動で反映されます。
welcome-skip = あとで
welcome-more = ほかの始め方
