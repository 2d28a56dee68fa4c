#include "base/io/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <cstdlib>

#include "base/error.hpp"

namespace shardmill::base {

File memory_file(std::span<const std::byte> bytes, const std::string& name) {
  const int descriptor = ::memfd_create("shardmill", MFD_CLOEXEC);
  if (descriptor < 0) throw system_error("cannot get memory for", name);
  File file(descriptor, name);
  file.write(bytes);
  file.seek(0);
  return file;
}

File scratch_file(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) throw system_error("cannot create a scratch file in", folder);
  return File(descriptor, folder + "/(scratch)");
}

std::string scratch_folder() {
  const char* const folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/var/tmp";
}

}  // namespace shardmill::base
