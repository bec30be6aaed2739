"""From JSON to the types of `models`: amounts become Decimal, times datetime.

Fields and words that a later service has added do no harm: the first are left out, the second kept.
"""

from dataclasses import fields, is_dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, Callable, Dict, List, Type, TypeVar, Union, get_args, get_origin
from typing import get_type_hints

from .errors import ConnectionFailedError

Model = TypeVar("Model")


def decode(model: Type[Model], value: Any) -> Model:
    """Make a model of the JSON object that the service answered."""
    if not isinstance(value, dict):
        raise ConnectionFailedError("unreadable", f"The answer is no {model.__name__}")
    kind: Any = model
    try:
        result: Model = _decoder_of(kind)(value)
    except (TypeError, ValueError, AttributeError, InvalidOperation) as error:
        raise ConnectionFailedError("unreadable", f"The answer is no {model.__name__}") from error
    return result


def _keep(value: Any) -> Any:
    return value


def read_time(value: str) -> datetime:
    return datetime.fromisoformat(value.replace("Z", "+00:00"))


@lru_cache(maxsize=None)
def _decoder_of(kind: Any) -> Callable[[Any], Any]:
    if kind is Decimal:
        return Decimal
    if kind is datetime:
        return read_time
    if is_dataclass(kind):
        return _model_decoder(kind)
    origin, words = get_origin(kind), get_args(kind)
    if origin is list:
        item = _decoder_of(words[0])
        return lambda value: [item(one) for one in value]
    if origin is dict:
        entry = _decoder_of(words[1])
        return lambda value: {name: entry(one) for name, one in value.items()}
    if origin is Union:
        present = [one for one in words if one is not type(None)]
        inner = _decoder_of(present[0]) if len(present) == 1 else _keep
        return lambda value: None if value is None else inner(value)
    return _keep


def _model_decoder(model: Any) -> Callable[[Any], Any]:
    hints = get_type_hints(model)
    # `class` is `class_`, for Python's sake.
    named = [
        (one.name, one.name.rstrip("_"), _decoder_of(hints[one.name])) for one in fields(model)
    ]

    def decode_model(value: Dict[str, Any]) -> Any:
        known: Dict[str, Any] = {}
        for name, wire_name, decoder in named:
            present = value.get(wire_name)
            known[name] = None if present is None else decoder(present)
        return model(**known)

    return decode_model


def decode_answer(model: Type[Model], value: Any) -> Model:
    """Make a model of the answer to a call.

    Without the field that every such answer begins with, it is of something else.
    """
    kind: Any = model
    first = fields(kind)[0].name
    can_be_null = type(None) in get_args(get_type_hints(kind)[first])
    if isinstance(value, dict) and not can_be_null and value.get(first.rstrip("_")) is None:
        raise ConnectionFailedError("unreadable", f"The answer is no {model.__name__}")
    return decode(model, value)


def decode_list(model: Type[Model], values: Any) -> List[Model]:
    """Make models of a list of JSON objects."""
    return [decode_answer(model, one) for one in values]
