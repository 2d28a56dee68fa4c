// What codec tests share: test data, files written by other programs, and reading a file in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/codec.hpp"
#include "codec/streams.hpp"

namespace shardmill::codec::testing {

/// Reproducible data that compresses like text, and data that does not compress at all.
std::string text_like(std::size_t bytes, std::uint64_t seed = 1);
std::string noise(std::size_t bytes, std::uint64_t seed = 1);

/// `plain` through a command line that reads standard input and writes standard output.
std::string through(const std::string& command, std::string_view plain);
bool has_program(const std::string& program);

/// The result of reading a file.
struct Outcome {
  std::string plain;
  std::vector<std::string> errors;  // what() of each Error that a piece threw
  std::vector<std::string> warnings;
  std::vector<std::uint64_t> piece_bytes;  // compressed
  std::vector<std::uint64_t> piece_plain_bytes;
  std::size_t largest_span = 0;
  bool good() const { return errors.empty(); }
};

/// How prepare() is called: before anything is read, in order, shuffled, or shuffled by several threads; by
/// threads while pieces are being read; or not at all.
enum class Schedule { in_order, random, threads, overlapping, reading_only };

/// Reads the file whole.
Outcome read_file(const std::string& path, Schedule schedule = Schedule::in_order);
/// The same for bytes in memory, through a file, or through a pipe fed in short writes.
Outcome read_bytes(std::string_view compressed, Schedule schedule = Schedule::in_order);
Outcome read_pipe(std::string_view compressed);
/// The same, with what follows the last stream as a warning.
Outcome read_ignoring_trailing(std::string_view compressed);

/// The same, by a reader that is made otherwise than codec::open() does.
using Opener = std::function<std::unique_ptr<PieceReader>(base::File&, TrailingSink)>;
Outcome read_bytes_by(const Opener& open, std::string_view compressed, Schedule schedule,
                      bool ignore_trailing = false);

/// What a decoder of one library makes of a file that is fed `in` bytes at a time into room for `out`, with
/// the first problem that it meets. `plain` gets everything that came before that.
Progress decode_in_steps(std::unique_ptr<StreamDecoder> decoder, std::string_view file, std::size_t in,
                         std::size_t out, std::string& plain);
/// Cuts `file` everywhere and flips each of its bits: both are problems, or the plain bytes are right all the
/// same.
void expect_all_damage_found(const std::function<std::unique_ptr<StreamDecoder>()>& make,
                             std::string_view file, std::string_view plain);

/// Compresses with our encoder; `cut` says how many bytes go into each write().
std::string encode(const EncoderOptions& options, std::string_view plain, std::size_t cut = SIZE_MAX);

}  // namespace shardmill::codec::testing
