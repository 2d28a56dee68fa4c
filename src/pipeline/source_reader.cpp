#include "shardmill/pipeline/source_reader.hpp"

#include <array>

namespace shardmill::pipeline {

namespace {

codec::Codec detect(const base::File& file) {
  std::array<std::byte, codec::kDetectBytes> first{};
  return codec::detect(std::span(first).first(file.read_at(first, 0)));
}

}  // namespace

SourceReader::SourceReader(const std::string& path, base::Reporter& reporter)
    : file_(base::File::open_read(path)) {
  if (!file_.is_regular()) throw Error("is not a regular file", at(path), "copy it to a file first");
  const codec::Codec codec = detect(file_);
  chained_ = codec != codec::Codec::none && codec != codec::Codec::bzip2;
  pieces_ = codec::open(file_, [&reporter](const Error& warning) { reporter.warn(warning); });
}

Unit SourceReader::next() {
  return chained_ ? next_chained() : next_independent();
}

Unit SourceReader::next_independent() {
  Unit unit;
  unit.piece = pieces_->next();
  unit.last = unit.piece == nullptr;
  if (!unit.piece) return unit;
  unit.compressed_bytes = unit.piece->compressed_bytes();
  unit.memory_bytes = unit.piece->memory_bytes();
  return unit;
}

// Decoded here and now, a bounded span at a time: what a piece expands to is not known before, and memory
// must not depend on it.
Unit SourceReader::next_chained() {
  Unit unit;
  while (unit.plain.empty() && !unit.last) {
    if (!current_) current_ = pieces_->next();
    if (!current_) {
      unit.last = true;
      break;
    }
    try {
      const auto bytes = current_->read();
      unit.plain.assign(bytes.begin(), bytes.end());
    } catch (const Error& error) {
      unit.damage = error;
    }
    if (unit.plain.empty()) {
      unit.compressed_bytes += current_->compressed_bytes();
      current_.reset();
    }
    if (unit.damage) break;
  }
  unit.memory_bytes = unit.plain.size();
  return unit;
}

}  // namespace shardmill::pipeline
