# Public profiles

public-statistics = 統計
public-list = リスト
public-empty = まだ何もありません。
public-rated = スコア { $score }
public-episode = 第{ $episode }話

api-profile-not-found = プロフィールが見つかりません
