#include "source/tree_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/memory_file.hpp"
#include "codec/codec.hpp"

namespace shardmill::source {

namespace {

std::string unpacked(base::File& file) {
  std::string content;
  const auto reader = codec::open(file);
  while (const auto piece = reader->next()) {
    piece->prepare();
    for (auto bytes = piece->read(); !bytes.empty(); bytes = piece->read()) {
      content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      if (content.size() > kTextLimitBytes)
        throw Error(fmt::format("is a text of more than {} bytes", kTextLimitBytes), at(file.path()));
    }
  }
  return content;
}

}  // namespace

std::string text_content(const std::string& path) {
  base::File file = base::File::open_read(path);
  return unpacked(file);
}

std::string text_content(base::File& file) {
  return unpacked(file);
}

std::string text_content(std::string&& bytes, const std::string& place) {
  const auto view = base::as_bytes(bytes);
  const auto codec = codec::detect(view.first(std::min(view.size(), codec::kDetectBytes)));
  if (codec == codec::Codec::none) return std::move(bytes);
  base::File file = base::memory_file(view, place);
  return unpacked(file);
}

}  // namespace shardmill::source
