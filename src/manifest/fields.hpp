// Reads fields that several records have, strictly.
#pragma once

#include <string>
#include <string_view>

#include "base/hash/hash.hpp"
#include "base/text/json_reader.hpp"

namespace shardmill::manifest {

/// A number that is 0 or more. This and the next two throw Error, which names no file.
double seconds_field(const base::JsonValue& object, std::string_view name);
/// 32 lower-case hexadecimal digits.
base::Xxh128 xxh3_field(const base::JsonValue& object, std::string_view name);
/// 64 lower-case hexadecimal digits.
std::string sha256_field(const base::JsonValue& object, std::string_view name);
bool is_sha256(std::string_view hex);

}  // namespace shardmill::manifest
