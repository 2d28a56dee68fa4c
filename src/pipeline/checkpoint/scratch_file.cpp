#include "pipeline/checkpoint/scratch_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::pipeline {
namespace {

constexpr std::size_t kStepBytes = 1 << 20;

}  // namespace

base::RunningHash hash_of_start(const std::string& path, std::uint64_t bytes,
                                const std::function<void()>& between_steps) {
  base::RunningHash hash;
  if (bytes == 0) return hash;
  base::File file = base::File::open_read(path);
  Bytes step(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kStepBytes)));
  for (std::uint64_t left = bytes; left > 0;) {
    if (between_steps) between_steps();
    const auto wanted =
        std::span(step).first(static_cast<std::size_t>(std::min<std::uint64_t>(left, step.size())));
    const std::size_t got = file.read(wanted);
    if (got < wanted.size()) {
      throw Error(fmt::format("is shorter than the {} bytes the journal knows of", bytes), at(path),
                  Remedy::start_over);
    }
    hash.update(wanted);
    left -= got;
  }
  return hash;
}

base::RunningHash check_file(const std::string& path, const FileMark& mark,
                             const std::function<void()>& between_steps) {
  base::RunningHash hash = hash_of_start(path, mark.bytes, between_steps);
  if (hash.digest() != mark.hash) throw scratch_damage(path);
  return hash;
}

Error scratch_damage(const std::string& path) {
  return Error("was changed or damaged since it was written: check the disk", at(path), Remedy::start_over);
}

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
