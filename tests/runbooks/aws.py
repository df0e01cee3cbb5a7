"""A small `aws` for the runbooks' tests: a command's words become one call, by the service model from which the AWS CLI makes its own.

It knows no command of its own. The service, the operation, every argument and the type of each come from botocore; a word that the model
does not have ends with status 252, as the CLI ends. `--query` is JMESPath, `--output` is json or text. `RUNBOOKS_AWS=/path/to/aws` has the
tests use a real AWS CLI in its place.
"""

import json
import sys
from pathlib import Path
from typing import Any, Final, NoReturn

import boto3
import jmespath  # type: ignore[import-untyped]  # it has no types, and one function is used
from botocore import xform_name
from botocore.exceptions import ClientError, ParamValidationError

WRONG_USAGE: Final = 252
FAILED: Final = 254
GLOBAL: Final = {"query": "", "output": "json"}


def main(words: list[str]) -> None:
    """Make the call that the words mean, and print its answer."""
    if len(words) < 2:
        wrong("usage: aws SERVICE OPERATION [--argument value ...]")
    service, verb, *rest = words
    session: Any = boto3.session.Session()
    if service not in session.get_available_services():
        wrong(f"there is no service {service!r}")
    client: Any = session.client(service)
    model = client.meta.service_model
    named = {xform_name(name, "-"): name for name in model.operation_names}
    if verb not in named:
        wrong(f"{service} has no operation {verb!r}")
    shape = model.operation_model(named[verb]).input_shape
    told, given = arguments(rest, {} if shape is None else dict(shape.members))
    try:
        answer = whole(client, xform_name(named[verb]), given)
    except ParamValidationError as error:
        wrong(str(error))
    except ClientError as error:
        print(f"\n{error}", file=sys.stderr)
        sys.exit(FAILED)
    answer.pop("ResponseMetadata", None)
    show(jmespath.search(told["query"], answer) if told["query"] else answer, told["output"])


def whole(client: Any, method: str, given: dict[str, Any]) -> dict[str, Any]:
    """Make the call; where the model pages its answer, every page, as the CLI does."""
    pages = client.can_paginate(method)
    answer: dict[str, Any] = (
        client.get_paginator(method).paginate(**given).build_full_result()
        if pages
        else getattr(client, method)(**given)
    )
    return answer


def arguments(words: list[str], members: dict[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the global options, and the call's arguments by their AWS names."""
    told, given = dict(GLOBAL), {}
    known = {xform_name(name, "-"): (name, shape) for name, shape in members.items()}
    at = 0
    while at < len(words):
        word = words[at].removeprefix("--")
        at += 1
        negated = word.removeprefix("no-")
        if not words[at - 1].startswith("--"):
            wrong(f"{word!r} stands where an argument is expected")
        elif word in told:
            told[word] = words[at]
            at += 1
        elif known.get(negated, ("", None))[1] is not None and known[negated][1].type_name == "boolean":
            given[known[negated][0]] = word == negated
        elif word in known:
            values = _values(words[at:], several=known[word][1].type_name == "list")
            given[known[word][0]] = typed(values, known[word][1].type_name, word)
            at += len(values)
        else:
            wrong(f"unknown argument --{word}")
    return told, given


def _values(words: list[str], *, several: bool) -> list[str]:
    until = next((n for n, word in enumerate(words) if word.startswith("--")), len(words))
    return words[:until] if several else words[:1]


def typed(values: list[str], kind: str, name: str) -> Any:
    """Return an argument's value in its type: JSON for what has parts, also from file://."""
    if not values:
        wrong(f"--{name} has no value")
    text = values[0]
    if text.startswith("file://"):
        text = Path(text.removeprefix("file://")).read_text(encoding="utf-8")
    if kind in {"structure", "map"} or (kind == "list" and text.lstrip().startswith("[")):
        try:
            return json.loads(text)
        except ValueError as error:
            wrong(f"--{name} is no JSON: {error}")
    if kind == "list":
        return values
    return int(text) if kind in {"integer", "long"} else text


def show(answer: Any, form: str) -> None:
    """Print an answer as the CLI does: nothing for nothing, else JSON, or text with tabs."""
    if form == "json":
        if answer not in ({}, None):
            print(json.dumps(answer, indent=4, default=str))
    elif form == "text":
        rows = answer if isinstance(answer, list) and any(isinstance(row, list) for row in answer) else [answer]
        for row in rows:
            print("\t".join(map(_word, row if isinstance(row, list) else [row])))
    else:
        wrong(f"--output {form} is not one of json, text")


def _word(value: Any) -> str:
    assert not isinstance(value, dict), (
        "the runbooks' queries choose texts and numbers: the CLI's text of a mapping is not made here"
    )
    return "None" if value is None else str(value)


def wrong(why: str) -> NoReturn:
    """End as the CLI ends on wrong usage."""
    print(f"aws: {why}", file=sys.stderr)
    sys.exit(WRONG_USAGE)


if __name__ == "__main__":
    main(sys.argv[1:])
