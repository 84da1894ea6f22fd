"""The hooks of signed_in.py, for functions under `cargo lambda watch`."""

import schemathesis
from schemathesis import Case, HookContext

import signed_in


@schemathesis.hook
def before_call(_: HookContext, case: Case, __: object) -> None:
    # cargo-lambda itself responds with a 500 to a JSON body that is not UTF-8.
    if isinstance(case.body, bytes):
        case.body = case.body.decode(errors="replace").encode()
