# The page after sign-up

welcome-title = Welcome, { $name }
welcome-lead = Your list is still empty. Begin in the way that suits you.
welcome-bring = Bring your list along
welcome-bring-file = Import a file that another service has exported.
welcome-bring-trackers = Or connect your account there. Both lists then stay in sync.
welcome-file = Import a file
welcome-find = Find three anime you have seen
welcome-find-explanation = Search for them, or choose from the best of the catalogue. On the page of an anime, you add it to your list.
welcome-play = Connect a player
welcome-play-explanation = Your media server or video player tells Kiroku what you watch, and your list follows.
welcome-skip = Skip for now
welcome-more = Other ways to begin
