#include "pipeline/checkpoint/scratch_check.hpp"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace shardmill::pipeline
