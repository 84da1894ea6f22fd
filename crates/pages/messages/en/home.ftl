# The start page of a signed-in user

home-title = Home
home-empty = Your list is empty.
home-welcome = Bring your list along, or begin a new one
home-continue = Continue watching
home-all-current = { $count ->
    [one] { $count } entry in progress
   *[other] All { $count } entries in progress
}
home-airing = Airing today and tomorrow
home-tomorrow = Tomorrow
home-next = What to watch next
home-sequel = The sequel of { $title }
home-planned = You plan to watch it, and it is airing now
home-because = Because you finished { $title }
