// A small dataset, made by repack in a folder of its own: ten samples in two shards.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "pipeline/workers.hpp"
#include "repack/options.hpp"
#include "support/made_wav.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::testing {

class MadeDataset {
 public:
  static constexpr std::uint64_t kSamples = 10;
  using Change = std::function<void(repack::RepackOptions&)>;

  /// `change` may set further options.
  explicit MadeDataset(const Change& change = {});

  const std::string& folder() const noexcept { return folder_; }
  /// The tar that it was made of.
  const std::string& source() const noexcept { return source_; }
  std::string path(std::string_view inner) const { return folder_ + "/" + std::string(inner); }
  std::string read(std::string_view inner) const;
  void write(std::string_view inner, std::string_view content) const;
  /// Flips the lowest bit of one byte.
  void flip(std::string_view inner, std::size_t at) const;

  /// For whatever is to be done with it.
  pipeline::Workers& workers() noexcept { return workers_; }
  SilentReporter& reporter() noexcept { return reporter_; }
  repack::RepackSummary& summary() noexcept { return summary_; }

 private:
  TemporaryFolder scratch_;
  std::string folder_;
  std::string source_;
  pipeline::Workers workers_{1, std::uint64_t{256} << 20};
  SilentReporter reporter_;
  repack::RepackSummary summary_;
};

}  // namespace shardmill::testing
