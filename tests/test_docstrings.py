"""Every public name says what it is in the form that numpydoc reads, and tab completion shows public names alone."""

import ast
import builtins
import enum
import importlib
import inspect
import re
import warnings
from functools import cache, cached_property
from types import ModuleType

import pytest
from numpydoc.docscrape import NumpyDocString

import stickslip as ss

MODULES = ("errors", "identify", "models", "observe", "plot", "series")
VALUES = {"__version__", "ground", "models.LIBRARY"}
"""Public names that are values: what they have to say is said by their types."""

PRIVATE_STYLES = re.compile(r"^Keywords\b|^Returns (a|an|the|two|one|`)|^`\w+`(, `\w+`| and `\w+`)*:", re.MULTILINE)


def public_of(module):
    """The public names of a module, which are those that tab completion shows."""
    return [name for name in dir(module) if not name.startswith("_")]


def named():
    """Every public name as it is written after `ss.`, with what it names; each thing once, under its first name."""
    found = {name: getattr(ss, name) for name in ss.__all__}
    for module in MODULES:
        found |= {f"{module}.{name}": getattr(getattr(ss, module), name) for name in public_of(getattr(ss, module))}
    first = {}
    for name, thing in found.items():
        first.setdefault(id(thing), name)
    return {name: found[name] for name in sorted(first.values()) if name not in VALUES}


NAMED = named()
FUNCTIONS = [name for name, thing in NAMED.items() if inspect.isfunction(thing)]
CLASSES = [name for name, thing in NAMED.items() if inspect.isclass(thing)]
EXCEPTIONS = [name for name in CLASSES if issubclass(NAMED[name], Exception)]
OTHERS = [name for name in CLASSES if name not in EXCEPTIONS]


def members_of(name):
    """The public methods and properties of a class, those that it inherits within stickslip too."""
    own = [vars(each) for each in NAMED[name].__mro__ if each.__module__.startswith("stickslip")]
    kinds = (property, cached_property, classmethod, staticmethod)
    members = {key: value for scope in reversed(own) for key, value in scope.items() if not key.startswith("_")}
    return [key for key, value in members.items() if inspect.isfunction(value) or isinstance(value, kinds)]


MEMBERS = [f"{name}.{member}" for name in CLASSES for member in members_of(name)]


@cache
def thing_of(name):
    if name in NAMED:
        return NAMED[name]
    owner, _, member = name.rpartition(".")
    return inspect.getattr_static(NAMED[owner], member)


@cache
def text_of(name):
    thing = thing_of(name)
    text = thing.__doc__ if inspect.isclass(thing) else inspect.getdoc(thing)
    assert text, f"{name} has no docstring"
    return inspect.cleandoc(text)


@cache
def parsed(name):
    """The sections; what numpydoc only warns about, such as a section that it does not know, is a mistake here."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return NumpyDocString(text_of(name))


def signature_of(name):
    """The parameters, as numpydoc writes them; those of a class that only inherits how it is made are none."""
    thing = thing_of(name)
    if isinstance(thing, classmethod | staticmethod):
        thing = thing.__func__
    if inspect.isclass(thing):
        own = [each for each in thing.__mro__ if each.__module__.startswith("stickslip")]
        if issubclass(thing, enum.Enum) or not any({"__init__", "__new__"} & vars(each).keys() for each in own):
            return {}
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    parameters = inspect.signature(thing).parameters.values()
    return {stars.get(each.kind, "") + each.name: each for each in parameters if each.name not in ("self", "cls")}


def described(entries):
    """Names and entries of a section, of which one may describe several names."""
    return {name.strip().replace("\\", ""): entry for entry in entries for name in entry.name.split(",")}


def check_entries(name, entries, parameters):
    """The parameters of the signature, in its order; each says what it means, and its default where it has one."""
    assert list(described(entries)) == list(parameters), f"{name}: the signature has other parameters"
    for key, entry in described(entries).items():
        text = " ".join([entry.type, *entry.desc])
        assert entry.type or key.startswith("*"), f"{name}: {key} has no type"
        assert "".join(entry.desc).strip(), f"{name}: {key} is not described"
        default = parameters[key].default
        if default is not inspect.Parameter.empty:
            assert re.search("default|optional", text), f"{name}: nothing is said of the default of {key}"
            check_default(f"{name}: {key}", entry.type.rpartition("default ")[2], default)


def check_default(what, told, default):
    """A default that is told as a number, a word in quotes or another literal is that of the signature."""
    try:
        value = ast.literal_eval(told)
    except (SyntaxError, ValueError):
        return
    assert value == default, f"{what} is {default!r} by default, not {told}"


def resolved(reference, name):
    """What a name in a docstring stands for: as it is written, or beside the name whose docstring it is."""
    module = f"stickslip.{name.partition('.')[0]}" if name.partition(".")[0] in MODULES else "stickslip"
    for start in (module, "stickslip", None):
        head, *rest = reference.split(".")
        try:
            thing = importlib.import_module(start or head)
            for key in (reference if start else ".".join(rest)).split("."):
                thing = getattr(thing, key)
        except (AttributeError, ImportError):
            continue
        return thing
    raise AssertionError(f"{name}: {reference!r} is nothing that can be found")


def check_raises(name):
    for entry in parsed(name)["Raises"]:
        for error in entry.type.split(","):
            found = getattr(ss.errors, error.strip(), None) or getattr(builtins, error.strip(), None)
            assert inspect.isclass(found) and issubclass(found, Exception), f"{name}: there is no error {error!r}"
            assert "".join(entry.desc).strip(), f"{name}: nothing says when {error} is raised"


@pytest.mark.parametrize("name", [*FUNCTIONS, *CLASSES, *MEMBERS])
def test_the_summary_is_one_sentence_and_no_style_is_private(name):
    summary = parsed(name)["Summary"]
    assert len(summary) == 1 and summary[0].strip(), f"{name}: the summary is {summary}"
    assert not parsed(name)["Signature"], f"{name}: the docstring is that of the dataclass"
    style = PRIVATE_STYLES.search(text_of(name))
    assert style is None, f"{name}: {style[0]!r} is no section of numpydoc"


@pytest.mark.parametrize("name", [*FUNCTIONS, *OTHERS])
def test_there_are_see_also_and_an_example(name):
    assert parsed(name)["See Also"], f"{name} has no See Also"
    assert any(line.startswith(">>> ") for line in parsed(name)["Examples"]), f"{name} has no example"


@pytest.mark.parametrize("name", [*FUNCTIONS, *CLASSES, *MEMBERS])
def test_names_in_see_also_and_raises_are_there(name):
    for references, _ in parsed(name)["See Also"]:
        for reference, _ in references:
            resolved(reference, name)
    check_raises(name)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_say_what_they_take_and_return(name):
    check_entries(name, parsed(name)["Parameters"], signature_of(name))
    annotation = inspect.signature(NAMED[name]).return_annotation
    assert annotation is not inspect.Signature.empty
    returns = parsed(name)["Returns"] or parsed(name)["Yields"]
    assert bool(returns) == (annotation not in (None, "None")), f"{name} returns {annotation}"
    assert all("".join(entry.desc).strip() for entry in returns), f"{name}: nothing says what is returned"
    raised = re.search(r"^ +raise \w+", inspect.getsource(NAMED[name]), re.MULTILINE)
    assert not raised or parsed(name)["Raises"], f"{name} raises errors, and does not say when"


@pytest.mark.parametrize("name", CLASSES)
def test_classes_say_what_they_are_made_of(name):
    """What users make has Parameters; of what they only receive, all Attributes are described."""
    parameters, document = signature_of(name), parsed(name)
    attributes = described(document["Attributes"])
    assert all("".join(entry.desc).strip() for entry in attributes.values()), f"{name}: an attribute is not described"
    if document["Parameters"] or not attributes:
        check_entries(name, document["Parameters"], parameters)
    else:
        missing = {key for key in parameters if not key.startswith("_")} - attributes.keys()
        assert not missing, f"{name}: the attributes {missing} are not described"


@pytest.mark.parametrize(
    "name", [name for name in MEMBERS if not isinstance(thing_of(name), property | cached_property)]
)
def test_methods_that_describe_parameters_describe_all_of_them(name):
    if parsed(name)["Parameters"]:
        check_entries(name, parsed(name)["Parameters"], signature_of(name))


@pytest.mark.parametrize("module", ["", *MODULES])
def test_tab_completion_shows_public_names_alone(module):
    scope = getattr(ss, module) if module else ss
    assert dir(scope) == sorted(scope.__all__)
    assert module == "" or not any(isinstance(getattr(scope, name), ModuleType) for name in dir(scope))
    assert scope.__doc__


def test_nothing_public_is_left_out():
    modules = {name for name, thing in NAMED.items() if isinstance(thing, ModuleType)}
    assert modules == set(MODULES)
    assert NAMED.keys() - modules == {*FUNCTIONS, *CLASSES}
