"""The rules of requests that a schema cannot express, as a check of Schemathesis.

A request that fits the OpenAPI document may be rejected with a 400 or 412 only for one of these reasons. The
descriptions in the document state all of them.
"""

import json

import schemathesis
from schemathesis import Case, CheckContext, Response

# The beginnings of the reasons, by the name of the field or parameter. A name can have its operation before it.
FIELDS = {
    # Only the service can make a valid cursor. OpenAPI cannot exclude a pair of parameters.
    "cursor": ["is invalid, or belongs to another list", "cannot be combined with page"],
    "since": ["is invalid, or belongs to another user"],
    # OpenAPI cannot make a parameter depend on the value of another one.
    "season": ["can only be combined with tvdb and database"],
    "GET /v1/mapping id": ["must be a whole number from 1", "must be tt and 7 to 9 digits"],
    # Folding removes the whole text.
    "search": ["must have a letter or a digit"],
    "studios": ["must have a letter or a digit"],
    "tags": ["must have a letter or a digit"],
    # Only a mail contains a valid token.
    "token": ["is invalid, has expired or has already been used"],
    # Only the service can make a valid invitation.
    "invitation": ["is invalid, has expired or has already been used"],
    # The schema has neither the list of common passwords nor the lengths after Unicode normalization.
    "password": ["is too common", "must not be the username", "must have at least 8", "must have at most 4096"],
    "current_password": ["is wrong"],
    # Exactly one of the name and the address is required. Generators of clients support no schema for that.
    "username": ["is required unless email is present"],
    # A part of the address has a limit of its own.
    "email": ["must be an e-mail address", "cannot be combined with username"],
    # The names in the IANA database change with each of its releases.
    "time_zone": ["must be the name of a time zone in the IANA database"],
    # The identifier consists of two other fields.
    "id": ["must be the story of this user_id and anime_id"],
    # Only the catalogue has the number of episodes.
    "current_episode": ["must be at most"],
    # A schema cannot limit decimals, or exclude days that a month does not have.
    "details": ["score must be a number", "started_on must be a date", "finished_on must be a date"],
    # Only the catalogue has the identifiers of its anime.
    "accept": ["must name anime of the catalogue"],
    # OpenAPI cannot describe the formats of list files.
    "POST /v1/user_story/import file": [""],
    # The server under test has no tracker.
    "tracker_a_id": ["cannot be linked: AniList is not enabled", "is required with tracker_a_token"],
    "tracker_a_token": ["is required with tracker_a_id"],
}
# The texts of errors without fields, by the operation. No client is registered, and no consent page was opened.
TEXTS = {
    "GET /v1/oauth": ["This sign-in cannot continue"],
    "POST /v1/oauth": ["This sign-in cannot continue"],
    # OpenAPI cannot exclude a parameter in the query string if the form has it.
    "POST /v1/oauth/token": ["Client credentials must be sent in only one way"],
    "POST /v1/oauth/revoke": ["Client credentials must be sent in only one way"],
    # The fields of a message depend on each other. OpenAPI cannot describe identifiers by source, or times, and a file
    # needs a name after its folders. The messages of media servers have no schema.
    "POST /v1/playback": [
        "must be the only one of anime_id, ids, title and file",
        "is required",
        "is allowed only with",
        "is not allowed with file",
        "must be at most duration_ms",
        "must be an object of identifiers",
        "must be an ISO 8601 time",
        "must have 1 to 1,000 characters",
        "The sender is unknown",
        "A list of messages must have 1 to 500 messages",
    ],
}
# API Gateway joins repeated headers with a comma, so a token that contains one counts as two.
SEVERAL_TOKENS = "Send only one Authorization header, with one token."
# The story is not in the state of the tag.
WITH_IF_MATCH = ["POST /v1/user_story", "DELETE /v1/user_story/{id}"]


@schemathesis.check
def rejected_for_a_stated_rule(_: CheckContext, response: Response, case: Case) -> None:
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code not in (400, 412):
        return
    reason = unstated(case, response)
    if reason is not None:
        raise AssertionError(f"A request that fits the document was rejected for another reason: {reason}")


def unstated(case: Case, response: Response) -> str | None:
    """Returns the reason for the rejection if the rule is not in the tables."""
    operation = case.operation.label
    if response.status_code == 412:
        return None if operation in WITH_IF_MATCH else "412"
    if operation in TEXTS:
        known = [*TEXTS[operation], SEVERAL_TOKENS]
        return None if any(text in response.text for text in known) else response.text
    fields = json.loads(response.text)["data"]
    if not isinstance(fields, dict):
        return None if fields == SEVERAL_TOKENS else fields
    for name, why in fields.items():
        known = FIELDS.get(name, []) + FIELDS.get(f"{operation} {name}", [])
        if not (why.startswith(tuple(known)) or is_large_fraction(case, name) or is_null_of_response(case, name)):
            return f"{name} {why}"
    return None


def is_large_fraction(case: Case, name: str) -> bool:
    """Returns true for a whole number that is written with a fraction, such as 281474976710656.0. The service accepts
    them below 2^48, because it does not parse larger ones exactly."""
    value = case.body.get(name) if isinstance(case.body, dict) else None
    return isinstance(value, float) and value >= 2**48


def is_null_of_response(case: Case, name: str) -> bool:
    """Returns true for a parameter that a stateful test took from a field that is null, such as the `database_id` of an
    anime. Schemathesis then sends an empty value, which no schema of a parameter allows."""
    query = case.query or {}
    return name in query and query[name] in (None, "", [], [None])
