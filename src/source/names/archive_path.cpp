#include "source/names/archive_path.hpp"

#include <algorithm>

namespace shardmill::source {

std::string plain_path(std::string_view name) {
  std::string path;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, end);
    name.remove_prefix(std::min(end + 1, name.size()));
    if (part.empty() || part == ".") continue;
    if (!path.empty()) path += '/';
    path += part;
  }
  return path;
}

bool leads_out(std::string_view name) {
  return name.starts_with('/') || name == ".." || name.starts_with("../") || name.ends_with("/..") ||
         name.find("/../") != std::string_view::npos;
}

Error leads_out_error(const std::string& place) {
  return Error("its name leads out of the folder in which it would be unpacked", at(place),
               "do not unpack this archive", Remedy::skip_bad_samples);
}

bool is_hidden(std::string_view path) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part.starts_with('.') && part != "." && part != "..") return true;
  }
  return false;
}

Error encrypted_error(const std::string& place) {
  return Error("is encrypted: unpack the archive with its password, and give the folder", at(place));
}

}  // namespace shardmill::source
