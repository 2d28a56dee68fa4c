#include "codec/input.hpp"

#include <algorithm>
#include <utility>

namespace shardmill::codec {

std::span<const std::byte> Input::peek(std::size_t bytes) {
  const std::size_t before = peeked_.size();
  if (before < bytes) {
    peeked_.resize(bytes);
    peeked_.resize(before + file_->read(std::span(peeked_).subspan(before)));
  }
  return std::span(peeked_).first(std::min(bytes, peeked_.size()));
}

std::size_t Input::read(std::span<std::byte> out) {
  const auto held = std::span(peeked_).subspan(taken_);
  const std::size_t from_held = std::min(held.size(), out.size());
  std::copy_n(held.begin(), from_held, out.begin());
  taken_ += from_held;
  return from_held + file_->read(out.subspan(from_held));
}

void Input::jump(std::uint64_t offset) {
  peeked_.clear();
  taken_ = 0;
  file_->seek(offset);
}

Slicer::Slicer(Input input, std::size_t slice_bytes, std::uint64_t offset)
    : input_(std::move(input)), slice_bytes_(slice_bytes), offset_(offset) {
  ahead_ = read_slice();
}

std::vector<std::byte> Slicer::read_slice() {
  std::vector<std::byte> bytes(slice_bytes_);
  bytes.resize(input_.read(bytes));
  return bytes;
}

bool Slicer::next(Slice& slice) {
  if (ahead_.empty()) return false;
  const bool full = ahead_.size() == slice_bytes_;
  slice.bytes = std::exchange(ahead_, {});
  if (full) ahead_ = read_slice();
  slice.last = ahead_.empty();
  slice.offset = std::exchange(offset_, offset_ + slice.bytes.size());
  return true;
}

}  // namespace shardmill::codec
