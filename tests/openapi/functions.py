"""The hooks of signed_in.py or, without a token, the checks of rules.py, for functions under `cargo lambda watch`."""

import os

import schemathesis
from schemathesis import Case, HookContext

if "KIROKU_TOKEN" in os.environ:
    import signed_in
else:
    import rules


@schemathesis.hook
def before_call(_: HookContext, case: Case, __: object) -> None:
    # cargo-lambda itself responds with a 500 to a JSON body that is not UTF-8.
    if isinstance(case.body, bytes):
        case.body = case.body.decode(errors="replace").encode()
