// YodasPlace: where a file of YODAS or YODAS2 lies, data/en000/KIND/00000000.*.
#pragma once

#include <string>
#include <string_view>

#include "source/corpus_builder.hpp"

namespace shardmill::source {

struct YodasPlace {
  std::string folder;     // "en000": captions by hand, "en100": by machine; empty: it lies elsewhere
  std::string_view kind;  // "text", "audio" or "duration"
  std::string name;       // "00000000", also of the files in a folder of this name

  explicit YodasPlace(std::string_view path);

  /// "en000/00000000": what a text is about, and an archive holds.
  std::string part() const { return folder + "/" + name; }
  /// The facts that all samples of `folder` have in common.
  void tell(Facts& facts) const;
};

}  // namespace shardmill::source
