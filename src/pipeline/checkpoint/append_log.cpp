#include "pipeline/checkpoint/append_log.hpp"

namespace shardmill::pipeline {

void AppendLog::flush() {
  file_.write_at(base::as_bytes(buffer_), written_bytes_);
  written_bytes_ += buffer_.size();
  hash_.update(buffer_);
  buffer_.clear();
}

void AppendLog::restore(const FileMark& mark) {
  hash_ = check_file(file_.path(), mark);
  file_.truncate(mark.bytes);
  written_bytes_ = mark.bytes;
  buffer_.clear();
}

}  // namespace shardmill::pipeline
