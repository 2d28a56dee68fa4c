#include "codec/gzip/slices.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace shardmill::codec {

void GzipSlice::load() {
  if (buffer_) return;
  auto buffer = buffers_->take();
  held_bytes_ = file_->read_at(std::span(buffer->bytes).first(held_bytes_), offset);
  if (held_bytes_ < own_bytes) {
    throw Error("truncated: the file became shorter while it was read",
                {.path = file_->path(), .offset = offset + held_bytes_});
  }
  buffer_ = std::move(buffer);
}

GzipSlices::GzipSlices(Input input, std::uint64_t first_index, const GzipSizes& sizes)
    : input_(std::move(input)), sizes_(sizes), next_index_(first_index) {
  if (input_.file().is_regular()) file_bytes_ = input_.file().size();
}

std::unique_ptr<GzipSlice> GzipSlices::next() {
  if (!input_.file().is_regular()) return next_of_pipe();
  const std::uint64_t offset = next_index_ * sizes_.slice_bytes;
  if (offset >= file_bytes_) return nullptr;
  const std::uint64_t left = file_bytes_ - offset;
  auto slice = std::make_unique<GzipSlice>();
  slice->offset = next_index_ * sizes_.slice_bytes;
  slice->index = next_index_++;
  slice->own_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(sizes_.slice_bytes, left));
  slice->last = left <= sizes_.slice_bytes;
  slice->held_bytes_ =
      static_cast<std::size_t>(std::min<std::uint64_t>(sizes_.slice_bytes + sizes_.overlap_bytes, left));
  slice->file_ = &input_.file();
  slice->buffers_ = buffers_;
  return slice;
}

std::unique_ptr<GzipSlice> GzipSlices::next_of_pipe() {
  auto slice = std::make_unique<GzipSlice>();
  slice->offset = next_index_ * sizes_.slice_bytes;
  slice->index = next_index_++;
  slice->buffer_ = buffers_->take();
  const auto room = std::span(slice->buffer_->bytes).first(sizes_.slice_bytes + sizes_.overlap_bytes);
  std::ranges::copy(ahead_, room.begin());
  std::size_t held = ahead_.size();
  if (!all_read_) {
    held += input_.read(room.subspan(held));
    all_read_ = held < room.size();
  }
  if (held == 0) return nullptr;
  slice->held_bytes_ = held;
  slice->own_bytes = std::min(held, sizes_.slice_bytes);
  slice->last = all_read_ && held <= sizes_.slice_bytes;
  ahead_.assign(room.begin() + static_cast<std::ptrdiff_t>(slice->own_bytes),
                room.begin() + static_cast<std::ptrdiff_t>(held));
  return slice;
}

}  // namespace shardmill::codec
