#include "shardmill/shard.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "library/observing.hpp"
#include "library/refusals.hpp"
#include "pipeline/source_item.hpp"
#include "pipeline/source_scan.hpp"
#include "pipeline/workers.hpp"
#include "shardmill/plain_shard.hpp"
#include "source/source_file.hpp"

namespace shardmill {

namespace {

/// Thrown to end a scan from inside the callback. Never leaves this file.
struct Stopped {};

class Delivery {
 public:
  Delivery(const std::string& path, const ReadOptions& options, const SampleCallback& callback,
           Observer& observer)
      : callback_(callback),
        refusals_(path, options, observer,
                  is_plain_shard(path) ? library::Refusals::Offsets::of_file
                                       : library::Refusals::Offsets::of_plain_bytes) {}

  void take(pipeline::SourceItem&& item) {
    if (auto* sample = std::get_if<shard::GroupedSample>(&item)) {
      if (refusals_.accept(*sample) && !callback_(std::move(sample->sample))) throw Stopped{};
    } else if (const auto* finding = std::get_if<ShardFinding>(&item)) {
      refusals_.take(*finding);
    } else if (const auto* damage = std::get_if<pipeline::Damage>(&item)) {
      refusals_.refuse(damage->error);
    }
  }

 private:
  const SampleCallback& callback_;
  library::Refusals refusals_;
};

}  // namespace

const Member* Sample::find(std::string_view extension) const noexcept {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const Member& member) { return member.extension == extension; });
  return found == members.end() ? nullptr : &*found;
}

void read_shard(const std::string& path, const ReadOptions& options, const SampleCallback& callback,
                Observer& observer) {
  const auto [file, problem] = library::with_errors([&] { return source::look_up(path); });
  if (problem) throw *problem;
  library::ObservingReporter reporter(observer);
  pipeline::Workers workers(library::threads_of(options.limits), options.limits.memory_bytes);
  Delivery delivery(path, options, callback, observer);
  try {
    library::with_errors([&, &shard = file] {
      pipeline::scan_source(shard, library::internal(options.key_rule), workers, reporter,
                            [&](pipeline::SourceItem&& item) { delivery.take(std::move(item)); });
    });
  } catch (const Stopped&) {
    return;
  }
}

void read_shard(const std::string& path, const ReadOptions& options, const SampleCallback& callback) {
  Observer silent;
  read_shard(path, options, callback, silent);
}

}  // namespace shardmill
