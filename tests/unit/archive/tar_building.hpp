// Makes tars for tests: good ones, and ones that no program would write.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/tar_header.hpp"
#include "base/io/file.hpp"

namespace shardmill::archive {

inline std::string text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A tar of files with the given names and contents.
inline std::string make_tar(const std::vector<std::pair<std::string, std::string>>& files) {
  Bytes out;
  for (const auto& [name, content] : files) {
    append_header(out, name, content.size());
    const auto bytes = base::as_bytes(content);
    out.insert(out.end(), bytes.begin(), bytes.end());
    append_padding(out, content.size());
  }
  append_end(out);
  return text(out);
}

/// Sets the checksum of a header; with signed char, as some old tars computed it.
template <typename Byte = unsigned char>
void set_checksum(char* block) {
  int sum = 8 * ' ';
  for (std::size_t i = 0; i < kTarBlockBytes; ++i)
    sum += i >= 148 && i < 156 ? 0 : static_cast<Byte>(block[i]);
  fmt::format("{:06o}", sum).copy(block + 148, 6);
}

/// A header with a right checksum, whatever its fields are.
inline std::string header_block(char type, std::string_view name, std::string_view size_field) {
  std::string block(kTarBlockBytes, '\0');
  block.replace(0, name.size(), name);
  block.replace(124, size_field.size(), size_field);
  block[156] = type;
  block.replace(257, 8, std::string("ustar\00000", 8));
  set_checksum(block.data());
  return block;
}

/// A header with its data in whole blocks.
inline std::string entry(char type, std::string_view name, std::string_view data) {
  std::string out = header_block(type, name, fmt::format("{:011o}", data.size()));
  out += data;
  out.resize(out.size() + padding_bytes(data.size()));
  return out;
}

}  // namespace shardmill::archive
