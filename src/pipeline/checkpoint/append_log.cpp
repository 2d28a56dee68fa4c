#include "pipeline/checkpoint/append_log.hpp"

#include "base/error.hpp"

namespace shardmill::pipeline {

void AppendLog::flush() {
  file_.write_at(base::as_bytes(buffer_), written_bytes_);
  written_bytes_ += buffer_.size();
  hash_.update(buffer_);
  buffer_.clear();
}

void AppendLog::read(std::span<std::byte> out, std::uint64_t offset) {
  if (offset + out.size() > written_bytes_) flush();
  if (file_.read_at(out, offset) != out.size()) throw Error("ends too early", at(file_.path()));
}

void AppendLog::restore(const FileMark& mark) {
  hash_ = check_file(file_.path(), mark);
  file_.truncate(mark.bytes);
  written_bytes_ = mark.bytes;
  buffer_.clear();
}

}  // namespace shardmill::pipeline
