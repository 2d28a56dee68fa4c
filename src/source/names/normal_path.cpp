#include "source/names/normal_path.hpp"

#include <filesystem>

namespace shardmill::source {

std::string normal_path(const std::string& path) {
  std::string text = std::filesystem::absolute(path).lexically_normal().string();
  if (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

}  // namespace shardmill::source
