# Public profiles

public-statistics = 統計
public-anime = アニメ
public-episodes = 視聴話数
public-hours = 視聴時間（時間）
public-score = 平均スコア
public-genres = よく見るジャンル
public-list = リスト
public-empty = まだ何もありません。
public-rated = スコア { $score }
public-episode = 第{ $episode }話

api-profile-not-found = プロフィールが見つかりません
