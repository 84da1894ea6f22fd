# Public profiles

public-statistics = 統計
public-list = リスト
public-empty = まだ何もありません。
public-rated = スコア{ $score }
public-episode = 第{ $episode }話
public-since = { $month }から記録
public-favorites = 高く評価した作品
public-chosen = お気に入り
favorite-add = お気に入りに追加
favorite-remove = お気に入りから外す
favorite-full = お気に入りは{ $count }件までです。この作品を選ぶには、どれかを外してください。
public-lately = 最近の記録
public-paused = 第{ $episode }話で一時中断
public-dropped = 第{ $episode }話で視聴中止
public-repeating = 再視聴中、第{ $episode }話
public-completed = 視聴済み、スコア{ $score }
public-today = 今日
public-yesterday = 昨日
public-change = { $what }（{ $when }）
public-description = 視聴完了{ $anime }作品、全{ $episodes }話。

api-profile-not-found = プロフィールが見つかりません
