// The functions and the type with which Python asks servers about files, and reads single ranges of them.
#pragma once

#include "object.hpp"

namespace shardmill::python {

// Each takes an address, which may hold secrets.
PyObject* known_address_function(PyObject* module, PyObject* address);
PyObject* shown_address_function(PyObject* module, PyObject* address);
PyObject* is_folder_function(PyObject* module, PyObject* address);
/// (size, version), or None: there is no such file.
PyObject* facts_of_function(PyObject* module, PyObject* address);
/// A folder and names in it; a list of the same.
PyObject* facts_in_function(PyObject* module, PyObject* arguments);
PyObject* files_below_function(PyObject* module, PyObject* prefix);

/// RemoteFile(address): size(), and read(size, offset), which gives fewer bytes only at the end.
Object remote_file_type();

}  // namespace shardmill::python
