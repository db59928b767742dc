"""A compiler for the kernels: a small typed subset of Python, translated to LLVM and on to machine code.

The subset is what the kernels need and no more: numbers (int, float, bool), flat arrays (`Floats`, `Ints`) and slices
of them, assignments, if, for over range, while, calls of each other and of a few functions of `math`. Types of
arguments and results come from annotations, the rest follows. What would not mean the same as in Python is refused:

- a variable has one type, and a value on every path that leads to where it is read;
- a slice is the address of its first element; a variable is bound to one slice in one place, a loop may go by there;
- `//` and `%` round down; a function that gives a value gives one on every path; none calls itself;
- negative indices that are known, writing to a constant array, arguments by name or of the wrong number.

`bounded(index, size, site)` is the index. In a checked build one that is out of bounds is noted, and 0 taken instead.

| file | job |
|---|---|
| `source.py` | a function and the file that it is from |
| `translator.py` | functions to a module of LLVM |
| `body.py`, `expressions.py` | statements and expressions of one function |
| `vector.py` | the same for several trajectories at once |
| `aliasing.py` | which arrays are told to be different ones |
| `instructions.py` | types and operations |

Why not numba: on a new model its front end took three times as long as LLVM did, and a new model is what a user has;
and compiled models load from disk without importing it. docs/compiler.md has the numbers.
"""

from __future__ import annotations

import builtins
import ctypes
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir

from stickslip.errors import CompileError
from stickslip.targets.source import Function
from stickslip.targets.translator import VIOLATION, Translator

__all__ = [
    "CompileError",
    "Function",
    "Translator",
    "lanes",
    "loaded",
    "machine_code",
    "machine_name",
    "violation",
]


def machine() -> llvm.TargetMachine:
    """This computer's processor."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        codemodel="jitdefault",
        jit=True,
    )


def lanes() -> int:
    """How many trajectories travel together: a register full. Two were no faster: too many had to be put aside."""
    features = llvm.get_host_cpu_features()
    return 8 if features.get("avx512f") else 4


def machine_name() -> str:
    """What machine code is made for and by: part of the name under which it is kept, since homes are shared."""
    made_for = llvm.get_default_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return f"{made_for} {llvmlite.__version__} {llvm.llvm_version_info}"


def machine_code(translated: ir.Module) -> bytes:
    """Machine code of a module, as an object file."""
    target = machine()
    return builtins.bytes(target.emit_object(optimised(translated, target)))


def optimised(translated: ir.Module, target: llvm.TargetMachine) -> llvm.ModuleRef:
    """The module as LLVM leaves it, for a processor."""
    translated.triple, translated.data_layout = target.triple, str(target.target_data)
    module = llvm.parse_assembly(str(translated))
    # The second level takes a third longer, and what it makes is no faster: kernels are short loops over records.
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    options.loop_vectorization = True
    options.slp_vectorization = False  # what is computed one by one and read in pairs waits for memory
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
    return module


def loaded(code: bytes) -> llvm.ExecutionEngine:
    """Machine code placed in memory, ready to be called by address."""
    target = machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def violation(engine: llvm.ExecutionEngine) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Site, index and size of the first index out of bounds in a checked build, to be read and to be set to zero."""
    address = engine.get_global_value_address(VIOLATION)
    if not address:
        raise CompileError("This machine code was not compiled with checks of its indices.")
    return np.ctypeslib.as_array((ctypes.c_int64 * 3).from_address(address))
