// Whole bzip2 files, made and damaged as the input says, against what the bzip2 program makes of them.
#include <algorithm>
#include <cstdlib>

#include "../unit/codec/bzip2_oracle.hpp"
#include "codec/codec.hpp"
#include "memory_file.hpp"

namespace {

using namespace shardmill;

constexpr std::size_t kEnoughBytes = std::size_t{16} << 20;  // bombs are let go there

void require(bool condition) {
  if (!condition) std::abort();
}

/// Takes numbers off the end of the input. The rest is data.
class Choices {
 public:
  explicit Choices(std::string_view input) : input_(input) {}
  unsigned take(unsigned below) {
    if (input_.empty()) return 0;
    const auto last = static_cast<unsigned char>(input_.back());
    input_.remove_suffix(1);
    return last % below;
  }
  std::string_view rest() const { return input_; }

 private:
  std::string_view input_;
};

std::string compress(std::string_view plain, int level) {
  auto size = static_cast<unsigned>(plain.size() + plain.size() / 50 + 1000);
  std::string packed(size, '\0');
  std::string copy(plain);
  require(BZ2_bzBuffToBuffCompress(packed.data(), &size, copy.data(), static_cast<unsigned>(copy.size()),
                                   level, 0, 0) == BZ_OK);
  packed.resize(size);
  return packed;
}

/// Some streams of the data, repeated so that blocks get full, with some bits flipped.
std::string make_file(Choices& choices) {
  const unsigned flips = choices.take(4);
  std::vector<unsigned> places;
  for (unsigned i = 0; i < flips; ++i) places.push_back(choices.take(256) * 256 + choices.take(256));
  std::string file;
  for (unsigned streams = choices.take(4); streams > 0; --streams) {
    const int level = 1 + static_cast<int>(choices.take(9));
    const unsigned repeats = choices.take(16) == 0 ? 2000 : choices.take(3);
    std::string plain;
    for (unsigned i = 0; i < repeats && plain.size() < 300'000; ++i) plain += choices.rest();
    file += compress(plain, level);
  }
  for (const unsigned place : places) {
    if (!file.empty())
      file[place % file.size()] = static_cast<char>(file[place % file.size()] ^ 1 << place % 8);
  }
  return file.empty() ? std::string(choices.rest()) : file;
}

struct Reading {
  std::string plain;
  bool good = true;
  bool warned = false;
};

Reading read(base::File& file) {
  Reading reading;
  const auto reader = codec::open(file, [&](const Error&) { reading.warned = true; });
  while (const auto piece = reader->next()) {
    try {
      for (auto bytes = piece->read(); !bytes.empty(); bytes = piece->read()) {
        if (reading.plain.size() > kEnoughBytes) return reading;
        reading.plain.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      }
    } catch (const Error&) {
      reading.good = false;
    }
  }
  return reading;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choices(std::string_view(reinterpret_cast<const char*>(data), size));
  const std::string content = make_file(choices);
  const auto bytes = std::as_bytes(std::span(content));
  if (codec::detect(bytes) != codec::Codec::bzip2) return 0;

  base::File file = testing::memory_file(bytes);
  const Reading reading = read(file);
  if (reading.plain.size() > kEnoughBytes) return 0;
  const auto verdict = codec::testing::bzip2_verdict(content);
  require(reading.good == verdict.accepted);
  if (verdict.accepted) require(reading.plain == verdict.plain && reading.warned == verdict.garbage);
  return 0;
}
