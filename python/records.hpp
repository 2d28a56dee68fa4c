// What the module has of finished datasets: their records, and the places of their samples.
#pragma once

#include "object.hpp"

namespace shardmill::python {

/// open_dataset(folder) -> {"samples", "seconds", "shards": [{"path", "manifest", "samples", "seconds",
/// "codec"}]}
PyObject* open_dataset_function(PyObject* module, PyObject* folder);

/// KeyIndex(folder), with find(key) -> (number of the shard, offset in its manifest) or None.
Object key_index_type();

}  // namespace shardmill::python
