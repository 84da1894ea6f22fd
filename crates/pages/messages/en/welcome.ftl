# The page after sign-up, and the ways to begin

welcome-title = What have you seen?
welcome-step-account = 1 Account
welcome-step-seen = 2 What have you seen?
welcome-step-suggestions = 3 Suggestions
welcome-lead = Welcome, { $name }. Mark three anime that you have seen to get suggestions that fit you.
welcome-find = Find one
welcome-find-hint = Title in any language
welcome-seen = Seen
welcome-progress = { $seen } of { $wanted } seen.
welcome-missing = { $count ->
    [one] One more for suggestions that fit you.
   *[other] { $count } more for suggestions that fit you.
}
welcome-enough = { $seen } seen. Your suggestions are ready.
welcome-continue = Continue
welcome-bring = Bring your list along
welcome-bring-file = Import a file that another service has exported.
welcome-bring-trackers = Or connect your account there. Both lists then stay in sync.
welcome-file = Import a file
welcome-play = Connect a player
welcome-play-explanation = Your media server or video player tells Kiroku what you watch, and your list follows.
welcome-skip = Skip for now
welcome-more = Other ways to begin
