#include "codec/gzip/chain.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "codec/gzip/header.hpp"

namespace shardmill::codec {

namespace {

// After kMisses useless guesses, only one slice in kTriedSlices is tried until a guess is useful.
constexpr int kMisses = 4;
constexpr std::uint64_t kTriedSlices = 16;

}  // namespace

void GzipFill::resolve() {
  std::call_once(resolved_, [&] {
    if (!guess_) return;
    first = guess_->resolve(window_);
    first_crc = gzip_crc(0, std::as_bytes(first));
    second = guess_->plain;
    window_ = {};
  });
}

std::shared_ptr<GzipFill> GzipSlot::take() {
  const std::lock_guard lock(mutex_);
  if (fills_.empty()) return nullptr;
  auto fill = std::move(fills_.front());
  fills_.pop_front();
  return fill;
}

bool GzipSlot::is_complete() {
  const std::lock_guard lock(mutex_);
  return complete_ && fills_.empty();
}

void GzipSlot::put(std::shared_ptr<GzipFill> fill) {
  const std::lock_guard lock(mutex_);
  fills_.push_back(std::move(fill));
}

void GzipSlot::complete() {
  slice_->drop();
  guess_.reset();
  const std::lock_guard lock(mutex_);
  complete_ = true;
}

std::uint64_t GzipSlot::stop_bit() const noexcept {
  return slice_->last ? kGzipNowhere : (slice_->offset + slice_->own_bytes) * 8;
}

GzipChain::GzipChain(base::BinaryReader& in, std::uint64_t index, const GzipSizes& sizes)
    : sizes_(sizes), turn_(index) {
  decoder_->restore(in);
  const auto window = in.bytes();
  window_.resize(window.size());
  std::transform(window.begin(), window.end(), window_.begin(),
                 [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
  if (window_.size() != decoder_->window_bytes()) throw Error("the restart point of a gzip file is damaged");
}

void GzipChain::prepare(const std::shared_ptr<GzipSlot>& slot) {
  try {
    slot->slice_->load();
    if (turn_ != slot->index()) guess(*slot);
  } catch (...) {
    slot->failure_ = std::current_exception();
  }
  {
    const std::lock_guard lock(offering_);
    offered_.push_back(slot);
  }
  Fills to_resolve;
  {
    const std::unique_lock lock(decoding_, std::try_to_lock);
    if (!lock) return;
    while (const auto next = take_offered()) decode(*next, to_resolve);
  }
  for (const auto& fill : to_resolve) fill->resolve();
}

void GzipChain::guess(GzipSlot& slot) {
  if (misses_ >= kMisses && slot.index() % kTriedSlices != 0) return;
  slot.guess_ = GzipGuess::make(slot.input(), slot.stop_bit(), sizes_.plain_bytes, *buffers_);
  if (!slot.guess_) ++misses_;
}

/// The next slot in order, if it has been offered. Drops slots that are complete.
std::shared_ptr<GzipSlot> GzipChain::take_offered() {
  const std::lock_guard lock(offering_);
  std::erase_if(offered_, [&](const auto& slot) { return slot->index() < turn_; });
  const auto next = std::find_if(offered_.begin(), offered_.end(),
                                 [&](const auto& slot) { return slot->index() == turn_ && !slot->begun_; });
  return next == offered_.end() ? nullptr : *next;
}

void GzipChain::refill(GzipSlot& slot) {
  Fills to_resolve;
  const std::lock_guard lock(decoding_);
  if (turn_ != slot.index()) return;
  {
    const std::lock_guard fills_lock(slot.mutex_);
    if (!slot.fills_.empty()) return;
  }
  try {
    slot.slice_->load();
  } catch (...) {
    slot.failure_ = std::current_exception();
  }
  decode(slot, to_resolve);
}

void GzipChain::note_start(GzipSlot& slot) {
  if (!slot.start_.empty()) return;
  base::BinaryWriter out;
  decoder_->save(out);
  out.put(std::as_bytes(std::span(window_)));
  slot.start_ = out.take();
}

std::vector<std::byte> GzipChain::start(GzipSlot& slot) {
  const std::lock_guard lock(decoding_);
  note_start(slot);
  return slot.start_;
}

void GzipChain::give_up() {
  const std::lock_guard lock(decoding_);
  decoder_->give_up();
}

/// Decodes to the end of the slot, or until the room is used up.
void GzipChain::decode(GzipSlot& slot, Fills& to_resolve) {
  note_start(slot);
  slot.begun_ = true;
  while (step(slot, to_resolve)) {
  }
}

bool GzipChain::step(GzipSlot& slot, Fills& to_resolve) {
  auto fill = std::make_shared<GzipFill>();
  GzipEnd end = GzipEnd::input;
  try {
    if (slot.failure_) std::rethrow_exception(slot.failure_);
    end = slot.guess_ && decoder_->is_at(slot.input(), slot.guess_->start_bit) && slot.guess_->fits(window_)
              ? join_guess(slot, *fill)
              : decode_serially(slot, *fill);
  } catch (...) {
    fill->failure = std::current_exception();
    decoder_->give_up();
    end = GzipEnd::input;
  }
  if (fill->guess_) to_resolve.push_back(fill);
  slot.put(std::move(fill));
  if (end == GzipEnd::room) return false;
  if (end == GzipEnd::block && decoder_->bit() < slot.stop_bit()) return true;  // it has reached the guess
  ++turn_;
  slot.complete();
  return false;
}

GzipEnd GzipChain::decode_serially(GzipSlot& slot, GzipFill& fill) {
  std::uint64_t wanted_bit = kGzipNowhere;
  if (slot.guess_) {
    // If it is at this place already, the guess does not fit.
    if (decoder_->bit() >= slot.guess_->start_bit || decoder_->is_at(slot.input(), slot.guess_->start_bit)) {
      slot.guess_.reset();
      ++misses_;
    } else {
      wanted_bit = slot.guess_->start_bit;
    }
  }
  fill.buffer_ = buffers_->take();
  std::uint8_t* const begin = fill.buffer_->bytes.data() + kDeflateWindowBytes;
  std::ranges::copy(window_, begin - window_.size());
  fill.output.next = begin;
  fill.output.end = begin + sizes_.plain_bytes;
  const GzipEnd end = decoder_->decode(slot.input(), slot.stop_bit(), wanted_bit, fill.output);
  fill.second = {begin, fill.output.next};
  window_.assign(fill.output.next - decoder_->window_bytes(), fill.output.next);
  return end;
}

GzipEnd GzipChain::join_guess(GzipSlot& slot, GzipFill& fill) {
  fill.guess_ = std::move(slot.guess_);
  GzipGuess& guess = *fill.guess_;
  fill.window_ = std::move(window_);
  window_ = guess.join(fill.window_);
  decoder_ = std::move(guess.decoder);
  fill.output = std::move(guess.output);
  misses_ = 0;
  return guess.end;
}

}  // namespace shardmill::codec
