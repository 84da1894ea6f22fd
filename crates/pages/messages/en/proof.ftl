proof-title = Confirm that it is you
proof-explanation = You are about to change something that only the owner of this account should change. Your confirmation counts for 10 minutes.
proof-button = Confirm
proof-again-title = Another way
proof-again = Sign out and in again. You then return to this point.
proof-again-button = Sign out and in again
