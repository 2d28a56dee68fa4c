// Whole gzip files, made and damaged as the input says, cut small and prepared in any order, against what
// zlib makes of them.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "../unit/codec/gzip/gzip_oracle.hpp"
#include "codec/formats.hpp"
#include "codec/input.hpp"
#include "memory_file.hpp"

namespace {

using namespace shardmill;

constexpr std::size_t kEnoughBytes = std::size_t{4} << 20;  // bombs are let go there

void require(bool condition) {
  if (!condition) std::abort();
}

/// Takes numbers off the end of the input. The rest is data.
class Choices {
 public:
  explicit Choices(std::string_view input) : input_(input) {}
  unsigned operator()() {
    if (input_.empty()) return 0;
    const auto last = static_cast<unsigned char>(input_.back());
    input_.remove_suffix(1);
    return last;
  }
  std::string_view rest() const { return input_; }

 private:
  std::string_view input_;
};

/// Some members of the data, repeated so that slices get full, with some bits flipped; or the data as it is.
std::string make_file(Choices& choices) {
  const unsigned flips = choices() % 4;
  std::vector<unsigned> places;
  for (unsigned i = 0; i < flips; ++i) places.push_back(choices() * 256 + choices());
  std::string file;
  for (unsigned members = choices() % 4; members > 0; --members) {
    const codec::testing::DeflateWay way = codec::testing::some_way(choices);
    const unsigned repeats = choices() % 8;
    std::string plain;
    for (unsigned i = 0; i < repeats; ++i) plain += choices.rest();
    file += codec::testing::gzip_member(plain, way);
    if (choices() % 4 == 0) file.append(choices(), '\0');
  }
  for (const unsigned place : places) {
    if (!file.empty())
      file[place % file.size()] = static_cast<char>(file[place % file.size()] ^ 1 << place % 8);
  }
  return file.empty() ? std::string(choices.rest()) : file;
}

struct Reading {
  std::string plain;
  std::string problem;
  bool warned = false;
};

Reading read(base::File& file, Choices& choices) {
  const codec::GzipSizes sizes{.slice_bytes = 1024 + choices() * 16,
                               .overlap_bytes = 1024 + choices() * 4,
                               .plain_bytes = 1024 + choices() * 128};
  Reading reading;
  const auto reader = codec::make_gzip_reader(
      codec::Input(file), [&](const Error&) { reading.warned = true; }, {}, sizes);
  std::vector<std::unique_ptr<codec::Piece>> pieces;
  while (auto piece = reader->next()) pieces.push_back(std::move(piece));
  std::vector<std::size_t> order(pieces.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[choices() % i]);
  for (const std::size_t i : order) pieces[i]->prepare();
  for (const auto& piece : pieces) {
    try {
      for (auto bytes = piece->read(); !bytes.empty(); bytes = piece->read()) {
        if (reading.plain.size() > kEnoughBytes) return reading;
        reading.plain.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      }
    } catch (const Error& error) {
      if (reading.problem.empty()) reading.problem = error.what();
    }
  }
  return reading;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choices(std::string_view(reinterpret_cast<const char*>(data), size));
  const std::string content = make_file(choices);
  const auto bytes = std::as_bytes(std::span(content));
  if (codec::detect(bytes) != codec::Codec::gzip) return 0;

  base::File file = testing::memory_file(bytes);
  const Reading reading = read(file, choices);
  if (reading.plain.size() > kEnoughBytes) return 0;
  const auto verdict = codec::testing::zlib_verdict(content);
  // After damage there may be more: the members that are still whole.
  require(verdict.problem.empty() ? reading.plain == verdict.plain
                                  : reading.plain.starts_with(verdict.sound));
  require(reading.problem.empty() == verdict.problem.empty());
  require(reading.problem.find(verdict.problem) != std::string::npos);
  require(reading.warned == verdict.garbage_offset.has_value());
  return 0;
}
