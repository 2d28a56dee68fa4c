#include "pipeline/decode.hpp"

#include <tbb/parallel_pipeline.h>

#include <atomic>
#include <memory>
#include <utility>

#include "archive/tar_header.hpp"
#include "base/io/file_watch.hpp"
#include "pipeline/in_flight.hpp"

namespace shardmill::pipeline {

namespace {

// A bzip2 block with its compressed and its plain bytes, the largest piece there is in ordinary files.
constexpr std::uint64_t kPieceBytes = 3 << 20;

/// A compressed file whose first bytes were damaged looks plain; but then no tar begins there.
void check_begins_tar(std::span<const std::byte> first, const std::string& path) {
  if (first.size() >= archive::kTarBlockBytes) {
    const auto block = first.first<archive::kTarBlockBytes>();
    if (archive::is_zero(block) || archive::read_header(block)) return;
  }
  throw Error("is neither a tar nor compressed in a way that is known", Where{.path = path, .offset = 0});
}

}  // namespace

void decode(base::File& file, Workers& workers, base::Reporter& reporter, const ByteSink& sink,
            Trailing trailing) {
  using Token = codec::Piece*;
  const base::FileWatch watch(file);
  codec::TrailingSink on_trailing;
  if (trailing == Trailing::ignored) on_trailing = [&](const Error& warning) { reporter.warn(warning); };
  const auto reader = codec::open(file, std::move(on_trailing));
  InFlight<codec::Piece> in_flight;

  bool at_start = true;
  std::atomic<bool> wanted = true;
  const auto cut = [&](tbb::flow_control& flow) -> Token {
    reporter.check_stop();
    auto piece = wanted ? reader->next() : nullptr;
    if (piece) return in_flight.add(std::move(piece));
    flow.stop();
    return nullptr;
  };
  const auto prepare = [](Token piece) {
    piece->prepare();
    return piece;
  };
  const auto deliver = [&](Token piece) {
    bool unchecked = std::exchange(at_start, false) && reader->is_plain();
    while (wanted) {
      const auto bytes = piece->read();
      if (bytes.empty()) break;
      if (std::exchange(unchecked, false)) check_begins_tar(bytes, file.path());
      wanted = sink(bytes);
    }
    reporter.progress().input_bytes += piece->compressed_bytes();
    in_flight.remove(piece);
  };
  const auto run = [&] {
    tbb::parallel_pipeline(workers.items_in_flight(kPieceBytes),
                           tbb::make_filter<void, Token>(tbb::filter_mode::serial_in_order, cut) &
                               tbb::make_filter<Token, Token>(tbb::filter_mode::parallel, prepare) &
                               tbb::make_filter<Token, void>(tbb::filter_mode::serial_in_order, deliver));
  };
  try {
    workers.run(run);
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error&) {
    watch.check();  // a file that is written meanwhile looks damaged
    throw;
  }
  if (wanted) watch.check();
  if (at_start) throw Error("is empty: zero bytes", at(file.path()), "an empty file is no shard");
}

}  // namespace shardmill::pipeline
