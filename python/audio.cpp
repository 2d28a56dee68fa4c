#include "audio.hpp"

#include <span>

#include "shardmill/audio.hpp"

namespace shardmill::python {

PyObject* decode_audio_function(PyObject* /*module*/, PyObject* audio) {
  return guarded([&] {
    char* data = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(audio, &data, &size) != 0) throw PythonError{};
    DecodedSound sound;
    {
      const WithoutLock unlocked;
      sound = decode_audio(std::as_bytes(std::span(data, static_cast<std::size_t>(size))));
    }
    const Object values = Object::from(
        PyByteArray_FromStringAndSize(reinterpret_cast<const char*>(sound.values.data()),
                                      static_cast<Py_ssize_t>(sound.values.size() * sizeof(float))));
    const Object channels = number_object(std::uint64_t{sound.channels});
    const Object rate = number_object(std::uint64_t{sound.sample_rate});
    return Object::from(PyTuple_Pack(3, values.get(), channels.get(), rate.get()));
  });
}

}  // namespace shardmill::python
