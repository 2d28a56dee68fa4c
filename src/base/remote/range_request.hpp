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

/// The bytes from `begin` to `end`. Throws FatalError when the object is another than `facts` say, or the
/// server does not give them, which it said that it has. Throws Error when it gives other bytes.
ReceivedRange request_range(const std::string& address, const ObjectFacts& facts, std::uint64_t begin,
                            std::uint64_t end, const std::stop_token& stop);

/// Throws FatalError: the object is another by now.
[[noreturn]] void refuse_change(const std::string& shown_address);

}  // namespace shardmill::base
