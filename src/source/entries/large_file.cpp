#include "source/entries/large_file.hpp"

#include <algorithm>

namespace shardmill::source {

LargeFile::LargeFile(std::shared_ptr<ScratchSpace> space, std::uint64_t promised_bytes)
    : space_(std::move(space)), file_(space_->file()) {
  space_->take(promised_bytes);
  taken_ = promised_bytes;
}

LargeFile::LargeFile(LargeFile&& other) noexcept
    : space_(std::move(other.space_)),
      file_(std::move(other.file_)),
      bytes_(std::exchange(other.bytes_, 0)),
      taken_(std::exchange(other.taken_, 0)) {}

LargeFile::~LargeFile() {
  if (space_) space_->give_back(taken_);
}

void LargeFile::add(std::span<const std::byte> bytes) {
  // Asking costs a system call.
  constexpr std::uint64_t kStepBytes = std::uint64_t{64} << 20;
  if (bytes_ + bytes.size() > taken_) {
    const std::uint64_t more = std::max<std::uint64_t>(kStepBytes, bytes.size());
    space_->take(more);
    taken_ += more;
  }
  file_.write_at(bytes, bytes_);
  bytes_ += bytes.size();
}

std::pair<base::File, std::uint64_t> LargeFile::end() && {
  return {std::move(file_), std::exchange(taken_, 0)};
}

}  // namespace shardmill::source
