"""MindIR: MindSpore's file format for programs. Read, changed, written and run without MindSpore or protobuf."""

from ms_jit.mindir.evaluate import GraphProgram
from ms_jit.mindir.export import export
from ms_jit.mindir.files import load, load_mindir, save_mindir, save_program
from ms_jit.mindir.message import Message
from ms_jit.mindir.wire import MindIRError

__all__ = ["GraphProgram", "Message", "MindIRError", "export", "load", "load_mindir", "save_mindir", "save_program"]
