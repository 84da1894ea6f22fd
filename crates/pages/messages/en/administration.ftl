# The page for administrators

administration-title = Administration
administration-version = Version
administration-users = Users (approximate)
administration-stories = Stories (approximate)
administration-data-anime = Data of the anime
administration-data-identifiers = Identifiers
administration-data-seasons = Seasons
administration-data-at = { $days ->
    [one] { $date } ({ $days } day old)
   *[other] { $date } ({ $days } days old)
}
administration-data-old = The data of the catalogue is more than 30 days old. Update it, or choose another source: the publisher may have stopped.
administration-no-refresh = The catalogue has not been refreshed from its sources yet.
administration-refreshed = Last refresh: from { $began } to { $ended }.
administration-refresh-failed = The refresh ended early:
administration-source-read = read
administration-source-unchanged = unchanged
administration-source-not-due = not asked: it is asked once a day
administration-source-failed = failed:
administration-stale-since = stale since { $time }
administration-current-at = up to date at { $time }
administration-source-counts = { $added } added, { $changed } changed, { $skipped } skipped
administration-invitations = Invitations
administration-registration-open = Everyone can register. Nobody needs an invitation.
administration-registration-invite = Registration needs an invitation. An invitation is a link with which one person can create one account.
administration-registration-closed = Registration is closed. Invitations cannot be used.
administration-days = Days of validity
administration-days-hint = A whole number from 1 to 90.
administration-invite = Make an invitation
administration-link = Link of the invitation
administration-link-copy = the link
administration-link-hint = Send it to the person you want to invite. It is not shown again. It can be used until { $date }.
administration-limit = At most { $count } invitations can be valid at the same time.
administration-no-invitation = No invitation is valid.
administration-valid-until = Valid until { $date }
administration-made = Made on { $date }
administration-revoked = The invitation has been revoked.

# Errors of this page

api-only-administrators-can-do-this = Only administrators can do this.
api-cannot-be-used-there-are-n = cannot be used: there are { $n1 } invitations already; revoke one first
api-must-be-a-whole-number-from = must be a whole number from { $n1 } to { $n2 }
