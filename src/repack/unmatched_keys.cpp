#include "repack/unmatched_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/text/units.hpp"
#include "manifest/reject.hpp"
#include "manifest/sample_record.hpp"

namespace shardmill::repack {

namespace {

constexpr std::size_t kMostNamed = 3;

/// A list, and which of its keys were found.
class KeyAccount {
 public:
  explicit KeyAccount(const pipeline::KeyFile& file)
      : file_(file), met_(file.keys ? file.keys->size() : 0, false) {}

  bool is_used() const { return file_.keys != nullptr; }

  void meet(std::string_view key) {
    if (!is_used()) return;
    if (const auto number = file_.keys->find(key)) met_[*number] = true;
  }

  void warn(base::Reporter& reporter) const {
    const auto missed = static_cast<std::size_t>(std::count(met_.begin(), met_.end(), false));
    if (missed == 0) return;
    reporter.warn(Error(fmt::format("lists {} that no source has: {}{}", base::format_count(missed, "key"),
                                    first_missed(), missed > kMostNamed ? ", ..." : ""),
                        at(file_.path)));
  }

 private:
  std::string first_missed() const {
    std::string names;
    std::size_t named = 0;
    std::vector<bool> met = met_;
    pipeline::for_each_key(file_.path, [&](std::string_view key) {
      const auto number = named < kMostNamed ? file_.keys->find(key) : std::nullopt;
      if (!number || met[*number]) return;
      met[*number] = true;
      names += fmt::format("{}'{}'", named++ == 0 ? "" : ", ", printable(key));
    });
    return names;
  }

  const pipeline::KeyFile& file_;
  std::vector<bool> met_;
};

}  // namespace

void warn_of_unmatched_keys(const pipeline::KeyPatterns& keys, const ListedSamples& listed,
                            base::Reporter& reporter) {
  KeyAccount only(keys.only);
  KeyAccount never(keys.never);
  if (!only.is_used() && !never.is_used()) return;
  listed.for_each_reject([&](const manifest::Reject& reject) {
    if (!reject.key) return;
    only.meet(*reject.key);
    never.meet(*reject.key);
  });
  if (only.is_used()) {
    listed.for_each_sample([&](const manifest::SampleRecord& sample) {
      // The user asks for a sample of a finished dataset by the key that it has there.
      only.meet(sample.key);
      only.meet(sample.source_key);
    });
  }
  only.warn(reporter);
  never.warn(reporter);
}

}  // namespace shardmill::repack
