#include "codec/gzip/chain.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "codec/gzip/deflate_finder.hpp"
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

namespace {

constexpr std::uint16_t kLiterals = 256;
constexpr std::size_t kRoundSymbols = std::size_t{16} << 10;

/// Copies symbols that are all bytes, eight at a time.
bool all_known(const std::uint16_t* symbols) {
  std::uint64_t two[2];
  std::memcpy(two, symbols, sizeof two);
  return ((two[0] | two[1]) & 0xff00ff00ff00ff00) == 0;
}

/// The place after the last symbol, from `begin` on, of an unknown byte; null if there is no such symbol.
const std::uint16_t* after_last_marker(const std::uint16_t* begin, const std::uint16_t* end) {
  while (end - begin >= 8 && all_known(end - 8)) end -= 8;
  for (; end > begin; --end) {
    if (end[-1] >= kLiterals) return end;
  }
  return nullptr;
}

/// `window` is the data in front of the symbols.
std::uint8_t known(std::uint16_t symbol, std::span<const std::uint8_t> window) {
  if (symbol < kLiterals) return static_cast<std::uint8_t>(symbol);
  return window[symbol - GzipGuess::kFirstMarker + window.size() - kDeflateWindowBytes];
}

/// Decodes to symbols, until the window is known.
class SymbolDecoder {
 public:
  SymbolDecoder(GzipBuffer& buffer, const GzipInput& in, std::uint64_t bit, std::size_t plain_bytes)
      : in_(in),
        bit_(bit),
        base_(reinterpret_cast<std::uint16_t*>(buffer.bytes.data())),
        first_(base_ + kDeflateWindowBytes),
        limit_(first_ + plain_bytes / sizeof *first_),
        after_marker_(first_) {
    std::iota(base_, first_, GzipGuess::kFirstMarker);
    out_ = {.history = base_, .next = first_};
  }

  enum class Stop { known, member, block, input, room, damage };
  Stop run(std::uint64_t stop_bit) {
    for (;;) {
      out_.end = std::min(limit_, out_.next + kRoundSymbols + kDeflateLoopRoom);
      const std::uint16_t* const begin = out_.next;
      const DeflateEnd end = deflate_.decode(in_.bytes, bit_, out_);
      if (const auto* after = after_last_marker(begin, out_.next)) after_marker_ = after;
      switch (end) {
        case DeflateEnd::damage:
          return Stop::damage;
        case DeflateEnd::last_block:
          return Stop::member;
        case DeflateEnd::input:
          return Stop::input;
        case DeflateEnd::block:
          if (bit_ + in_.offset * 8 >= stop_bit) return Stop::block;
          break;
        case DeflateEnd::room:
          if (out_.end == limit_) return Stop::room;
          break;
      }
      if (out_.next - after_marker_ >= static_cast<std::ptrdiff_t>(kDeflateWindowBytes)) return Stop::known;
    }
  }

  std::span<std::uint16_t> symbols() const { return {first_, out_.next}; }
  std::uint64_t bit() const { return bit_; }
  DeflateDecoder& deflate() { return deflate_; }

 private:
  const GzipInput& in_;
  std::uint64_t bit_;
  std::uint16_t* base_;
  std::uint16_t* first_;
  std::uint16_t* limit_;
  const std::uint16_t* after_marker_;
  DeflateOutput<std::uint16_t> out_;
  DeflateDecoder deflate_;
};

}  // namespace

std::unique_ptr<GzipGuess> GzipGuess::make(const GzipInput& in, std::uint64_t stop_bit,
                                           std::size_t plain_bytes, GzipBufferPool& buffers) {
  using Stop = SymbolDecoder::Stop;
  const std::uint64_t first_bit = in.offset * 8;
  const auto start =
      find_deflate_start(in.bytes, std::min<std::uint64_t>(stop_bit - first_bit, in.bytes.size() * 8));
  if (!start) return nullptr;
  auto guess = std::make_unique<GzipGuess>();
  guess->start_bit = first_bit + start->bit;
  guess->begins_member = start->begins_member;
  guess->buffer = buffers.take();
  GzipBuffer& buffer = *guess->buffer;

  std::uint8_t* plain = buffer.bytes.data() + kDeflateWindowBytes;
  if (guess->begins_member) {
    guess->decoder = std::make_unique<GzipDecoder>(guess->start_bit, DeflateDecoder(), 0);
  } else {
    SymbolDecoder symbols(buffer, in, start->bit, plain_bytes);
    const Stop stop = symbols.run(stop_bit);
    if (stop == Stop::damage || (stop == Stop::input && in.last)) return nullptr;
    guess->symbols = symbols.symbols();
    std::size_t window_bytes = 0;
    plain =
        reinterpret_cast<std::uint8_t*>(guess->symbols.data() + guess->symbols.size()) + kDeflateWindowBytes;
    if (stop == Stop::known) {
      window_bytes = kDeflateWindowBytes;
      std::transform(guess->symbols.end() - kDeflateWindowBytes, guess->symbols.end(),
                     plain - kDeflateWindowBytes,
                     [](std::uint16_t symbol) { return static_cast<std::uint8_t>(symbol); });
    }
    guess->decoder =
        std::make_unique<GzipDecoder>(first_bit + symbols.bit(), symbols.deflate(), window_bytes);
    guess->end = stop == Stop::block ? GzipEnd::block : stop == Stop::input ? GzipEnd::input : GzipEnd::room;
    if (stop == Stop::member) guess->decoder->end_member();
    guess->symbols_only = stop != Stop::known && stop != Stop::member;
    if (guess->symbols_only) return guess;
  }
  guess->output.next = plain;
  guess->output.end = plain + plain_bytes - std::min(plain_bytes, guess->symbols.size_bytes());
  guess->end = guess->decoder->decode(in, stop_bit, kGzipNowhere, guess->output);
  guess->plain = {plain, guess->output.next};
  if (guess->output.damage || guess->output.garbage_offset) return nullptr;
  return guess;
}

bool GzipGuess::fits(std::span<const std::uint8_t> window) const {
  if (begins_member) return window.empty();
  if (window.size() >= kDeflateWindowBytes) return true;
  // Without a window: behind the last marker, a number larger than 16 bits hold.
  const std::size_t first = kFirstMarker + (kDeflateWindowBytes - window.size());
  return std::ranges::none_of(symbols,
                              [&](std::uint16_t symbol) { return symbol >= kLiterals && symbol < first; });
}

std::vector<std::uint8_t> GzipGuess::join(std::span<const std::uint8_t> window) {
  if (symbols_only) {
    decoder->set_window_bytes(std::min(kDeflateWindowBytes, window.size() + symbols.size()));
  }
  const std::size_t wanted = decoder->window_bytes();
  std::vector<std::uint8_t> behind(wanted);
  const std::size_t from_plain = std::min(wanted, plain.size());
  std::copy(plain.end() - static_cast<std::ptrdiff_t>(from_plain), plain.end(),
            behind.end() - static_cast<std::ptrdiff_t>(from_plain));
  std::size_t missing = wanted - from_plain;
  const std::size_t from_symbols = std::min(missing, symbols.size());
  missing -= from_symbols;
  std::transform(symbols.end() - static_cast<std::ptrdiff_t>(from_symbols), symbols.end(),
                 behind.begin() + static_cast<std::ptrdiff_t>(missing),
                 [&](std::uint16_t symbol) { return known(symbol, window); });
  std::copy_n(window.end() - static_cast<std::ptrdiff_t>(missing), missing, behind.begin());
  return behind;
}

std::span<const std::uint8_t> GzipGuess::resolve(std::span<const std::uint8_t> window) {
  auto* const bytes = reinterpret_cast<std::uint8_t*>(symbols.data());
  std::size_t i = 0;
  for (; i + 8 <= symbols.size(); i += 8) {
    std::uint16_t eight[8];
    std::memcpy(eight, symbols.data() + i, sizeof eight);
    std::uint8_t plain_eight[8];
    if (all_known(eight)) {
      for (std::size_t k = 0; k < 8; ++k) plain_eight[k] = static_cast<std::uint8_t>(eight[k]);
    } else {
      for (std::size_t k = 0; k < 8; ++k) plain_eight[k] = known(eight[k], window);
    }
    std::memcpy(bytes + i, plain_eight, sizeof plain_eight);
  }
  for (; i < symbols.size(); ++i) bytes[i] = known(symbols[i], window);
  return {bytes, symbols.size()};
}

}  // namespace shardmill::codec
