#include "shardmill/pipeline/append_log.hpp"

#include "shardmill/base/error.hpp"

namespace shardmill::pipeline {

void AppendLog::flush() {
  file_.write_at(base::as_bytes(buffer_), written_bytes_);
  written_bytes_ += buffer_.size();
  buffer_.clear();
}

void AppendLog::restore(std::uint64_t bytes) {
  if (file_.size() < bytes) {
    throw Error("is shorter than the journal says", at(file_.path()), "start over with --force");
  }
  file_.truncate(bytes);
  written_bytes_ = bytes;
  buffer_.clear();
}

}  // namespace shardmill::pipeline
