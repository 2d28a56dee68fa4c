// A file in memory, for fuzz targets of code that reads files.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.hpp"
#include "base/io/file.hpp"

namespace shardmill::testing {

/// Linux only. Positioned at its start.
inline base::File memory_file(std::span<const std::byte> bytes) {
  const int descriptor = ::memfd_create("fuzz", MFD_CLOEXEC);
  if (descriptor < 0) throw shardmill::system_error("cannot create", "a file in memory");
  base::File file(descriptor, "fuzz");
  file.write_at(bytes, 0);
  return file;
}

}  // namespace shardmill::testing
