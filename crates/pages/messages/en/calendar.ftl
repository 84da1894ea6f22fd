# Calendar

calendar-title = Calendar
calendar-lead = What airs in the next seven days among the anime you watch or plan. The catalogue only knows the day in UTC on which an anime airs. Where you live, it can be the day before or after.
calendar-today = Today
calendar-nothing = Nothing on your list.
calendar-later = Begins soon
calendar-unknown = Airs on an unknown day
calendar-next-episode = next: episode { $episode }
calendar-waiting = { $count } to watch
calendar-empty = No anime on your list airs now or begins within 4 weeks.
calendar-browse = See what airs this season
calendar-feed = In your calendar program
calendar-feed-lead = Add an address to Google Calendar, Apple Calendar, Outlook, Thunderbird or another program. It shows the same anime there, except private entries.
calendar-feed-address = the address
calendar-feed-secret = Anyone who knows this address can read the calendar. A new address ends this one at once. So do a new password and signing out everywhere.
calendar-feed-make = Create an address
calendar-feed-renew = Create a new address
calendar-feed-remove = Remove the address
calendar-renewed = Your calendar has a new address. Earlier addresses no longer work.
calendar-removed = The address is removed. It no longer works.
calendar-name = Kiroku – Anime
