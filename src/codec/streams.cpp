#include "codec/streams.hpp"

#include <algorithm>
#include <array>

namespace shardmill::codec {

bool begins_with(std::span<const std::byte> first, std::span<const std::uint8_t> magic) {
  const std::size_t bytes = std::min(first.size(), magic.size());
  return std::equal(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(bytes), magic.begin(),
                    [](std::byte have, std::uint8_t want) { return have == std::byte{want}; });
}

bool is_skippable_frame(std::span<const std::byte> first) {
  constexpr std::array<std::uint8_t, 3> kTail{0x2a, 0x4d, 0x18};
  return !first.empty() && (first[0] & std::byte{0xf0}) == std::byte{0x50} &&
         begins_with(first.subspan(1), kTail);
}

std::size_t leading_zeros(std::span<const std::byte> bytes) {
  const auto first = std::ranges::find_if(bytes, [](std::byte byte) { return byte != std::byte{0}; });
  return static_cast<std::size_t>(first - bytes.begin());
}

/// Takes bytes until the next part of the file is clear. Returns false if that needs more bytes, or at the
/// end.
bool MultiStreamDecoder::look_between(std::span<const std::byte> in, bool last, Progress& total) {
  if (magic_.empty()) total.consumed += leading_zeros(in.subspan(total.consumed));
  const auto rest = in.subspan(total.consumed);
  const std::size_t wanted = decoder_->magic_bytes();
  const std::size_t taken = std::min(wanted - std::min(wanted, magic_.size()), rest.size());
  magic_.insert(magic_.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(taken));
  total.consumed += taken;
  if (magic_.empty() || (magic_.size() < wanted && !last)) return false;

  const Between between = decoder_->classify(magic_);
  if (between == Between::garbage && streams_ == 0) {
    total.problem = "damaged: no compressed data where it must begin";
  } else if (between == Between::garbage) {
    garbage_offset_ = consumed_ + total.consumed - magic_.size();
    magic_.clear();
  } else if (magic_.size() < wanted) {
    total.problem = "truncated: the file ends inside the header of a compressed stream";
  } else {
    decoder_->begin();
    inside_ = true;
    stream_bytes_ = 0;
    if (between == Between::stream) ++streams_;
  }
  return true;
}

void MultiStreamDecoder::decode_step(std::span<const std::byte> in, std::span<std::byte> out,
                                     Progress& total) {
  const bool from_magic = !magic_.empty();
  const std::span<const std::byte> source = from_magic ? std::span(magic_) : in.subspan(total.consumed);
  Progress step = decoder_->decode(source, out.subspan(total.produced));
  if (from_magic) {
    magic_.erase(magic_.begin(), magic_.begin() + static_cast<std::ptrdiff_t>(step.consumed));
  } else {
    total.consumed += step.consumed;
  }
  total.produced += step.produced;
  stream_bytes_ += step.produced;
  used_window_bytes_ = std::min(std::max(used_window_bytes_, stream_bytes_), decoder_->window_bytes());
  total.problem = std::move(step.problem);
  total.advice = std::move(step.advice);
  const bool stuck = step.consumed == 0 && step.produced == 0 && !source.empty() && !step.ended;
  if (stuck && total.problem.empty()) total.problem = "damaged: the decoder cannot go on";
  if (step.ended) inside_ = false;
}

Window MultiStreamDecoder::window() const {
  if (!decoder_) return {};
  return {.bytes = used_window_bytes_, .full_bytes = decoder_->window_bytes()};
}

Progress MultiStreamDecoder::decode(std::span<const std::byte> in, std::span<std::byte> out, bool last) {
  Progress total;
  while (total.problem.empty()) {
    if (garbage_offset_) {
      total.consumed = in.size();
      break;
    }
    if (!inside_) {
      if (!look_between(in, last, total)) break;
      continue;
    }
    if (total.produced == out.size()) break;
    const bool used_up = magic_.empty() && total.consumed == in.size();
    const std::size_t before = total.produced;
    decode_step(in, out, total);
    // When there is no input left, one more call fetches the bytes that the decoder still holds.
    if (used_up && inside_ && total.produced == before) break;
  }
  consumed_ += total.consumed;
  if (last && inside_ && total.consumed == in.size() && total.produced < out.size() &&
      total.problem.empty()) {
    total.problem = "truncated: the file ends inside a compressed stream";
    total.advice = "copy or make the file again";
  }
  return total;
}

void BlockEncoder::write(std::span<const std::byte> plain) {
  while (!plain.empty()) {
    if (block_.empty() && plain.size() >= block_bytes_) {
      encode(plain.first(block_bytes_), false);
      plain = plain.subspan(block_bytes_);
      continue;
    }
    const std::size_t taken = std::min(plain.size(), block_bytes_ - block_.size());
    block_.reserve(block_bytes_);
    block_.insert(block_.end(), plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(taken));
    plain = plain.subspan(taken);
    if (block_.size() == block_bytes_) {
      encode(block_, false);
      block_.clear();
    }
  }
}

void BlockEncoder::finish() {
  encode(block_, true);
}

Error trailing_damage(const std::string& path, std::uint64_t offset) {
  return Error("damaged: the bytes after the end of a compressed stream are neither another stream nor zeros",
               {.path = path, .offset = offset},
               "copy or make the file again; if these bytes are not needed, shardmill convert "
               "--ignore-trailing writes a "
               "good file without them");
}

Error trailing_ignored(const std::string& path, std::uint64_t offset) {
  return Error("trailing bytes after the compressed data, ignored", {.path = path, .offset = offset});
}

std::uint64_t doubtful_bytes(std::string_view problem, std::uint64_t delivered_bytes) {
  return problem.starts_with("damaged") ? delivered_bytes : 0;
}

std::string with_doubt(std::string problem, std::uint64_t delivered_bytes) {
  if (doubtful_bytes(problem, delivered_bytes) > 0)
    problem += "; the data before it in the same stream may be wrong, too";
  return problem;
}

}  // namespace shardmill::codec
