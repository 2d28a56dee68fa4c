// decode_audio of the library, for Python.
#pragma once

#include "object.hpp"

namespace shardmill::python {

/// decode_audio(bytes) -> (floats as a bytearray, frame by frame, channels, sample rate)
PyObject* decode_audio_function(PyObject* module, PyObject* audio);

}  // namespace shardmill::python
