// RangeRequest: asks for some bytes of one version of an object, and takes no others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/remote/object_facts.hpp"

namespace shardmill::base {

struct ReceivedRange {
  std::vector<std::byte> bytes;      // all of the object where the server knows no ranges
  std::optional<std::string> md5{};  // of the whole object, if the answer says it
};

/// The bytes from `begin` to `end`. Throws FatalError when the object is another than `facts` say, or its
/// beginning could be read and these cannot. Throws Error when nothing of it can, or other bytes come.
ReceivedRange request_range(const std::string& address, const ObjectFacts& facts, std::uint64_t begin,
                            std::uint64_t end, const std::stop_token& stop);

/// Throws FatalError: the object is another by now.
[[noreturn]] void refuse_change(const std::string& shown_address);

}  // namespace shardmill::base
