# Import and export

history-title = インポートとエクスポート
history-import = インポート
history-import-explanation = MyAnimeList、AniList、Kitsu、Simkl、Trakt、TV Time、Anime-Planet、Kirokuなどからエクスポートしたリスト、CSVで保存した表計算のファイル、またはJellyfin、Plex、Embyで視聴したもののファイルを選んでください。
history-file = リストのファイル
history-file-hint = 4 MB、20,000件まで。ダウンロードしたファイルをそのまま選んでください。ZIPファイルやgzipで圧縮したファイル（.gz）も使えます。
history-mode = すでにある記録
history-mode-merge = 統合：進み具合が戻ることはなく、空の項目はファイルの内容で補われます
history-mode-keep = 維持：そのまま残します
history-mode-replace = 置き換え：こちらのほうが進んでいても、ファイルの内容になります
history-scale = 評価の範囲
history-scale-hint = AniListのアカウントのエクスポートや表計算のファイルなど、ファイルに範囲が書かれていない場合だけ必要です。
history-scale-file = ファイルのとおり
history-scale-3 = 1～3
history-scale-5 = 1～5
history-scale-10 = 1～10
history-scale-100 = 1～100
history-preview = プレビュー
history-preview-hint = プレビューではインポートの結果を確認できます。何も変更されません。
history-imports = 最近のインポートと取り消し
history-export = エクスポート
history-export-explanation = 視聴履歴をファイルとしてダウンロードできます：
history-format-xml = MyAnimeListのXML
history-format-xml-hint = MyAnimeListと、そのリストをインポートできるすべてのサービス向け。非公開の記録と、MyAnimeListにないアニメは含まれません。
history-format-csv = CSV
history-format-csv-hint = 表計算ソフト向け。
history-format-json = JSON
history-format-json-hint = すべての情報を含みます。バックアップや、別のKirokuサーバーへの移行に。
history-back = インポートとエクスポートに戻る

# Report of an import

report-preview = インポートのプレビュー
report-preview-done = まだ何も変更されていません。インポートすると次のようになります。
report-import = インポートが完了しました
report-import-done = 視聴履歴をインポートしました。
report-import-nothing = ファイルの内容による視聴履歴の変更はありませんでした。
report-undo = 取り消し
report-undo-explanation = このインポートは7日以内なら取り消せます。それまでに行った変更は残ります。
report-choose-again = プレビューしたファイルは保存されません。インポートするには、もう一度選んでください。
report-entries = 記録
report-file = ファイルの形式は{ $format }で、{ $count }件の記録があります：
report-count-new = 件追加
report-count-changed = 件変更
report-count-unchanged = 件変更なし
report-count-repeated = 件ファイル内で重複
report-count-skipped = 件スキップ
report-count-waiting = 件カタログになし
report-count-proposals = 件回答待ち
report-proposals = 回答を待っている記録
report-proposals-hint = タイトルだけでアニメが示されているか、ファイルの内容に矛盾があります。確認すると追加されます。
report-unknown-fields = ファイルのうち、次の項目はインポートされません：{ $names }。
report-unreadable-values = 読み取れないため除外された値：{ $names }。
report-skipped = スキップ
report-skipped-hint = これらの記録は使えません。
report-skipped-entry = 記録{ $position }：{ $reason }
report-waiting = カタログにない作品
report-waiting-hint = Kirokuにまだないアニメです。AniListまたはMyAnimeListのIDがある記録は1年間保存され、アニメが追加されたときに登録されます。
report-changed = 変更
report-new = 追加
report-more = ほか{ $count }件。
report-entry = 記録{ $position }
report-separator = 、
report-field-status = 視聴状況
report-field-episode = 話数
report-field-position = 再生位置
report-field-score = スコア
report-field-start = 開始日
report-field-end = 終了日
report-field-repeats = 再視聴の回数
report-field-notes = メモ
report-field-privacy = 公開範囲

# Recent imports

imports-title = 最近のインポート
imports-explanation = インポートは7日以内なら取り消せます。追加された記録は削除され、変更された記録は元の内容に戻ります。その後に行った変更は残ります。
imports-none = 過去7日間にインポートはありません。
imports-undo = このインポートを取り消す
imports-heading = { $time }のインポート
imports-counts = 今もある記録のうち、{ $added }件を追加し、{ $changed }件を変更しました。
imports-waiting = { $count }件がアニメの追加を待っています。
imports-undone = インポートを取り消しました：{ $restored }件を元に戻し、{ $deleted }件を削除しました。
imports-forgotten = アニメの追加を待っていた{ $count }件を削除しました。
imports-kept = その後に変更された{ $count }件は、そのまま残っています。

# Texts of the API

api-must-have-at-most-4-mb-compress-a-larger-file-with-gzip = 4 MBまでです。大きなファイルはgzipで圧縮してください
api-the-form-is-incomplete-or-malformed-go-back-reload-the-page-and-send-it-again = フォームの内容が途中で切れているか、正しくありません。前のページに戻って再読み込みし、もう一度送ってください。
api-the-form-must-have-each-field-only-once = フォームの各項目は一度だけ送ってください。
api-list-files-on-this-page-are-limited-to-4-mb-compress-a-larger-file-with-gzip = このページで読み込めるリストファイルは4 MBまでです。大きなファイルはgzipで圧縮してください。
api-must-be-one-of-mal-xml-csv-json = mal_xml、csv、jsonのいずれかを指定してください
api-the-file-is-empty = ファイルが空です。
api-the-file-is-longer-than-64-mb = ファイルが64 MBを超えています。
api-the-file-is-longer-than-64-mb-when-unpacked = 展開後のファイルが64 MBを超えています。
api-the-file-is-a-zip-archive-unpack-it-and-send-the-list-that-it-contains = ファイルがZIP形式です。展開して、中のリストを送ってください。
api-the-file-is-damaged-or-incomplete-it-cannot-be-unpacked-with-gzip = ファイルが壊れているか不完全なため、gzipで展開できません。
api-the-file-has-nul-bytes-as-a-text-in-utf-16-does-save-it-as-utf-8 = ファイルにNULバイトが含まれています（UTF-16のテキストなど）。UTF-8で保存してください。
api-the-file-is-not-encoded-in-utf-n-byte-n-is-invalid-save-it-as-utf-n = ファイルがUTF-8ではありません（{ $n2 }バイト目が無効です）。UTF-8で保存してください。
api-the-file-has-more-than-20-000-entries-split-it-into-several-files = 記録が20,000件を超えています。複数のファイルに分けてください。
api-the-file-is-a-list-of-manga-only-lists-of-anime-can-be-imported = ファイルはマンガのリストです。インポートできるのはアニメのリストだけです。
api-the-xml-is-not-an-anime-list-its-root-element-must-be-myanimelist = XMLがアニメのリストではありません。ルート要素はmyanimelistでなければなりません。
api-the-xml-has-a-document-type-definition-dtd-which-anime-lists-never-have = XMLに文書型定義（DTD）があります。アニメのリストにDTDはありません。
api-the-xml-has-more-than-1-000-000-elements = XMLの要素が1,000,000個を超えています。
api-the-xml-is-nested-too-deeply = XMLの入れ子が深すぎます。
api-the-xml-declares-another-encoding-than-utf-8-save-it-as-utf-8 = XMLにUTF-8以外の文字コードが指定されています。UTF-8で保存してください。
api-the-xml-is-invalid-or-ends-too-early-near-line-n = { $n1 }行目付近でXMLが無効か、途中で終わっています。
api-the-json-is-neither-a-list-of-anilist-nor-an-export-of-this-service = JSONがAniListのリストでも、このサービスのエクスポートでもありません。
api-the-json-is-an-export-of-this-service-but-not-of-version-1 = JSONはこのサービスのエクスポートですが、バージョン1ではありません。
api-the-json-is-invalid-or-ends-too-early-at-line-n-column-n = { $n1 }行{ $n2 }列目でJSONが無効か、途中で終わっています。
api-the-file-is-no-xml-json-or-csv-that-can-be-imported-the-first-line-of-csv-must-name-the-columns-status-and-anime-id-anilist-id-mal-id-or-title = インポートできるXML、JSON、CSVではありません。CSVの1行目には列名が必要です：statusと、anime_id、anilist_id、mal_id、titleのいずれか。
api-line-n-of-the-csv-has-more-than-n-cells = CSVの{ $n1 }行目のセルが{ $n2 }個を超えています。
api-the-csv-has-a-cell-without-a-closing-quotation-mark-in-the-row-that-begins-at-line-n = CSVの{ $n1 }行目から始まる行に、引用符が閉じられていないセルがあります。
api-the-file-does-not-state-the-scale-of-its-scores-they-were-read-as-n-to-n-because-the-highest-is-n = ファイルにスコアの範囲が書かれていません。最高が{ $n3 }のため、{ $n1 }～{ $n2 }として読み取りました。
api-the-scores-were-read-as-n-to-n = スコアを{ $n1 }～{ $n2 }として読み取りました。
api-notes-that-were-cut-after-n-characters-n = { $n1 }文字を超えたため短くしたメモ：{ $n2 }件。
api-times-that-could-not-be-read-and-were-ignored-n = 読み取れず無視した日時：{ $n1 }件。
api-manga-that-were-left-out-n = 除外したマンガ：{ $n1 }件。
api-entries-that-are-not-kept-until-their-anime-appears-because-they-have-no-identifier-at-tracker-or-myanimelist-n = AniListまたはMyAnimeListのIDがないため、アニメが追加されるまで保存されない記録：{ $n1 }件。
api-entries-that-are-not-kept-because-at-most-n-entries-and-n-kb-are-kept-for-each-user-n = ユーザーごとに{ $n1 }件、{ $n2 } KBまでのため、保存されない記録：{ $n3 }件。
api-no-anime-was-found = アニメが見つかりません
api-the-file-states-no-status-and-the-anime-is-not-on-the-list = ファイルに視聴状況がなく、リストにもないアニメです
api-the-series-has-several-anime-so-only-its-watched-episodes-count = シリーズに複数のアニメがあるため、視聴済みのエピソードだけが使われます
api-the-title-the-year-or-the-kind-is-not-that-of-the-anime-with-this-identifier-items-n = タイトル、年、種類のいずれかが、このIDのアニメと異なります（{ $n1 }件）
api-season-n-the-title-the-year-or-the-kind-is-not-that-of-the-anime-with-this-identifier-items-n = シーズン{ $n1 }：タイトル、年、種類のいずれかが、このIDのアニメと異なります（{ $n2 }件）
api-the-file-has-episode-n-but-the-anime-has-n-episodes = ファイルでは第{ $n1 }話ですが、アニメは全{ $n2 }話です
api-the-file-is-an-answer-of-plex-in-xml-ask-plex-for-json-with-the-header-accept-application-json = ファイルはPlexのXMLの応答です。ヘッダーAccept: application/jsonを付けて、PlexにJSONを要求してください。
api-an-answer-of-jellyfin-emby-or-plex-must-have-its-items-in-the-array-items-or-in-the-array-metadata-of-mediacontainer = Jellyfin、Emby、Plexの応答では、項目が配列Items、またはMediaContainerの配列Metadataになければなりません。
api-watched-episodes-and-movies-in-the-file-n = ファイルにある視聴済みのエピソードと映画：{ $n1 }件。
api-items-that-were-left-out-because-they-were-not-watched-or-are-neither-episodes-nor-movies-n = 未視聴であるか、エピソードでも映画でもないため除外した項目：{ $n1 }件。
api-no-anime-was-found-items-n = アニメが見つかりません（{ $n1 }件）
api-season-n-no-anime-was-found-items-n = シーズン{ $n1 }：アニメが見つかりません（{ $n2 }件）
api-the-anime-is-not-certain-items-n = アニメを確定できません（{ $n1 }件）
api-season-n-the-anime-is-not-certain-items-n = シーズン{ $n1 }：アニメを確定できません（{ $n2 }件）
api-marked-as-no-anime-items-n = アニメではないと指定されています（{ $n1 }件）
api-season-n-marked-as-no-anime-items-n = シーズン{ $n1 }：アニメではないと指定されています（{ $n2 }件）
api-the-file-names-no-episode-items-n = ファイル名からエピソードが分かりません（{ $n1 }件）
api-is-no-valid-json-object-items-n = 有効なJSONオブジェクトではありません（{ $n1 }件）
api-season-is-missing-or-wrong-items-n = シーズンがないか、正しくありません（{ $n1 }件）
api-episode-is-missing-or-wrong-items-n = エピソードがないか、正しくありません（{ $n1 }件）
api-title-is-missing-or-wrong-items-n = タイトルがないか、正しくありません（{ $n1 }件）
api-is-longer-than-n-kb-items-n = { $n1 } KBを超えています（{ $n2 }件）
api-has-neither-an-identifier-nor-a-title = IDもタイトルもありません
api-has-no-status = 視聴状況がありません
api-status-text-is-unknown = 視聴状況「{ $text }」は不明です
api-score-must-be-a-number-from-n-to-n = スコアは{ $n1 }～{ $n2 }の数値でなければなりません
api-score-must-be-a-number-from-n-on = スコアは{ $n1 }以上の数値でなければなりません
api-private-must-be-true-or-false = privateはtrueかfalseでなければなりません
api-anime-id-must-be-a-whole-number-from-n-to-n = anime_idは{ $n1 }～{ $n2 }の整数でなければなりません
api-anilist-id-must-be-a-whole-number-from-n-to-n = anilist_idは{ $n1 }～{ $n2 }の整数でなければなりません
api-mal-id-must-be-a-whole-number-from-n-to-n = mal_idは{ $n1 }～{ $n2 }の整数でなければなりません
api-repeats-must-be-a-whole-number-from-n-to-n = 再視聴の回数は{ $n1 }～{ $n2 }の整数でなければなりません
api-current-episode-must-be-a-whole-number-from-n-to-n = 話数は{ $n1 }～{ $n2 }の整数でなければなりません
api-current-episode-ticks-must-be-a-whole-number-from-n-to-n = 再生位置は{ $n1 }～{ $n2 }の整数でなければなりません
api-started-on-text-is-not-a-date-such-as-n-n-n-n-n-or-n = 開始日「{ $text }」は2016-08-26、2016-08、2016のような日付ではありません
api-finished-on-text-is-not-a-date-such-as-n-n-n-n-n-or-n = 終了日「{ $text }」は2016-08-26、2016-08、2016のような日付ではありません

# Waiting entries

waiting-title = 作品の追加を待っている記録
waiting-count = { $count ->
    [0] 作品の追加を待っている記録はありません。
   *[other] 作品の追加を待っている記録が{ $count }件あります。
}
waiting-hint = カタログに作品が追加されると、リストに加わります（インポートから最長1年）。
waiting-file = ファイルとしてダウンロード
waiting-untitled = タイトルなし
waiting-episode = 第{ $episode }話
waiting-search = カタログを検索

# Files that cannot be read, and what was left out of lists

api-the-archive-is-damaged-or-incomplete-it-cannot-be-unpacked = アーカイブが壊れているか不完全なため、展開できません。
api-the-archive-is-encrypted-with-a-password-unpack-it-with-the-password-and-send-the-files-in-a-new-archive-without-one = アーカイブがパスワードで暗号化されています。展開して、パスワードのない新しいアーカイブで送ってください。
api-the-archive-is-longer-than-64-mb-when-unpacked = アーカイブを展開すると64 MBを超えます。
api-the-archive-has-no-files = アーカイブにファイルがありません。
api-the-archive-has-a-file-that-becomes-more-than-100-times-longer-when-it-is-unpacked-it-is-not-read = 展開すると100倍を超える長さになるファイルがアーカイブにあるため、読み込みません。
api-the-archive-has-more-than-500-files = アーカイブのファイルが500を超えています。
api-the-archive-is-packed-in-a-way-that-is-not-supported-pack-it-again-as-a-usual-zip-archive = 対応していない方式のアーカイブです。通常のZIPで作り直してください。
api-the-list-in-the-file-is-empty = ファイルのリストが空です。
api-the-file-is-a-workbook-of-a-spreadsheet-program-save-it-as-csv-and-send-that = 表計算ソフトのブックです。CSVで保存して送ってください。
api-the-file-is-a-pickle-of-python-as-trackma-writes-it-it-could-contain-any-code-so-it-is-not-read-export-the-list-from-the-service-that-trackma-works-with = Trackmaが書くPythonのpickleです。コードを含むことがあるため、読み込みません。Trackmaと連携しているサービスからリストをエクスポートしてください。
api-the-file-is-a-7z-archive-unpack-it-and-send-the-list-that-it-contains = 7zのアーカイブです。展開して、中のリストを送ってください。
api-the-file-is-a-rar-archive-unpack-it-and-send-the-list-that-it-contains = RARのアーカイブです。展開して、中のリストを送ってください。
api-the-file-is-a-database-export-the-list-from-the-program-that-wrote-it = データベースのファイルです。作成したプログラムからリストをエクスポートしてください。
api-the-file-is-a-pdf-document-not-a-list = PDFの文書で、リストではありません。
api-the-file-is-a-picture-not-a-list = 画像で、リストではありません。
api-the-file-is-no-text-it-has-nul-bytes = NULバイトがあるため、テキストではありません。
api-the-file-is-no-text = テキストではありません。
api-the-file-is-a-web-page-not-a-list-use-the-export-of-the-service-instead-of-saving-its-page = ウェブページで、リストではありません。ページを保存するのではなく、サービスのエクスポートを使ってください。
api-the-file-has-more-than-200-000-entries-and-episodes-split-it-into-several-files = 記録とエピソードが20万件を超えています。複数のファイルに分けてください。
api-series-and-movies-that-are-no-anime-that-were-left-out-n = 除外された、アニメではないシリーズと映画：{ $n1 }件。
api-games-books-and-other-media-that-were-left-out-n = 除外されたゲーム、本、その他：{ $n1 }件。
api-special-episodes-that-were-left-out-n = 除外された特別編：{ $n1 }件。
api-episodes-and-movies-that-were-not-watched-that-were-left-out-n = 除外された未視聴のエピソードと映画：{ $n1 }件。
api-anime-without-a-watched-episode-that-were-left-out-n = 除外された、視聴済みの話がないアニメ：{ $n1 }件。
api-anime-that-the-user-does-not-want-to-watch-that-were-left-out-n = 除外された、見るつもりのないアニメ：{ $n1 }件。
api-works-without-a-status-that-were-left-out-n = 除外された、視聴状況のない作品：{ $n1 }件。
api-dates-of-which-the-file-does-not-tell-whether-the-day-or-the-month-is-first-so-that-only-the-year-was-taken-n = 日と月のどちらが先か分からないため、年だけを使った日付：{ $n1 }件。
api-the-format-of-this-json-is-not-known-its-first-fields-are-text = このJSONの形式は不明です。最初の項目は「{ $text }」です。
api-the-file-is-no-xml-json-or-csv-that-can-be-imported-the-first-line-of-csv-must-name-the-columns-status-and-anime-id-anilist-id-mal-id-or-title-its-first-cells-are-text = インポートできるXML、JSON、CSVではありません。CSVの最初の行には、statusと、anime_id、anilist_id、mal_id、titleのいずれかの列名が必要です。最初のセルは「{ $text }」です。
api-the-xml-is-of-no-format-that-is-known-its-root-element-is-text = このXMLの形式は不明です。アニメのリストのルート要素はmyanimelistです。
api-the-format-of-this-json-is-not-known = このJSONの形式は不明です。

# Proposals

proposals-title = 回答を待っている記録
proposals-waiting = インポートした記録のうち{ $count }件が回答を待っています
proposals-none = 回答を待っている記録はありません。
proposals-explanation = 次の記録が見つかりました。タイトルだけでアニメが示されているか、ファイルの内容に矛盾があるため、まだリストに入っていません。
proposals-count-certain = 確実：{ $count }件
proposals-count-uncertain = 要確認：{ $count }件
proposals-count-not-found = カタログになし：{ $count }件
proposals-accept-certain = 確実な{ $count }件をすべて追加
proposals-certain = 確実
proposals-uncertain = 要確認
proposals-not-found = カタログになし
proposals-discard-not-found = 見つからなかったものをすべて破棄
proposals-other-anime = ほかのアニメ
proposals-discard = 破棄
proposals-back = すべての記録に戻る
proposals-reason-title = タイトルで見つかりました。
proposals-reason-title-alone = タイトルだけが手がかりです。アニメではない作品が同じタイトルのこともあります。
proposals-reason-other-title = ファイルのタイトルはこれですが、番号は「{ $title }」のものです。
proposals-reason-other-year = ファイルの番号は、年の異なる「{ $title }」のものです。
proposals-reason-other-format = ファイルの番号は、形式の異なる「{ $title }」のものです。
proposals-reason-other-id = ファイルの2つの番号が、別々のアニメのものです。
proposals-reason-several-anime = このシリーズには複数のアニメがあります。
proposals-reason-uncertain = 次のいずれかのタイトルかもしれません。
proposals-reason-not-found = アニメが見つかりません。
proposals-reason-not-searched = カタログにないタイトルが多すぎるため、検索されていません。
proposals-added = { $count }件を追加しました。
proposals-changed = { $count }件を変更しました。
proposals-unchanged = { $count }件はすでにリストにあります。
proposals-discarded = { $count }件を破棄しました。
proposals-nothing = 変更はありません。
