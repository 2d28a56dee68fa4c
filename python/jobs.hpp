// The functions of the module that do long work. Each takes its arguments by position; users see _jobs.py.
#pragma once

#include "object.hpp"

namespace shardmill::python {

/// repack(sources, out, [(option, value)], threads, memory, progress) -> totals
PyObject* repack_function(PyObject* module, PyObject* arguments);
/// The names of the options of repack.
PyObject* repack_options_function(PyObject* module, PyObject* nothing);
/// verify(targets, decode, against, allow_commands, threads, memory, progress)
PyObject* verify_function(PyObject* module, PyObject* arguments);
/// ranks(targets, world_size, workers, loader, epochs, seed, out, threads, memory, progress)
PyObject* ranks_function(PyObject* module, PyObject* arguments);

}  // namespace shardmill::python
