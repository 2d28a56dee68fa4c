#include "shardmill/pipeline/decode.hpp"

#include <tbb/parallel_pipeline.h>

#include <atomic>
#include <memory>

namespace shardmill::pipeline {

namespace {

// A bzip2 block with its compressed and its plain bytes, the largest piece there is in ordinary files.
constexpr std::uint64_t kPieceBytes = 3 << 20;

}  // namespace

void decode(base::File& file, Workers& workers, base::Reporter& reporter, const ByteSink& sink) {
  using Token = std::shared_ptr<codec::Piece>;
  const auto reader = codec::open(file, [&reporter](const Error& warning) { reporter.warn(warning); });

  std::atomic<bool> wanted = true;
  const auto cut = [&](tbb::flow_control& flow) -> Token {
    reporter.check_stop();
    Token piece = wanted ? reader->next() : nullptr;
    if (!piece) flow.stop();
    return piece;
  };
  const auto prepare = [](const Token& piece) {
    piece->prepare();
    return piece;
  };
  const auto deliver = [&](const Token& piece) {
    while (wanted) {
      const auto bytes = piece->read();
      if (bytes.empty()) break;
      wanted = sink(bytes);
    }
    reporter.progress().input_bytes += piece->compressed_bytes();
  };
  workers.run([&] {
    tbb::parallel_pipeline(workers.items_in_flight(kPieceBytes),
                           tbb::make_filter<void, Token>(tbb::filter_mode::serial_in_order, cut) &
                               tbb::make_filter<Token, Token>(tbb::filter_mode::parallel, prepare) &
                               tbb::make_filter<Token, void>(tbb::filter_mode::serial_in_order, deliver));
  });
}

}  // namespace shardmill::pipeline
