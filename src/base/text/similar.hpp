// Similar names: suggests a name for one that was mistyped.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace shardmill::base {

/// The name most similar to `word`; nullopt if no name is similar enough. Of equally similar names, the
/// first.
std::optional<std::string> most_similar(std::string_view word, std::span<const std::string> names);

/// "did you mean 'aishell2'?", or `otherwise` if no name is similar.
std::string did_you_mean(std::string_view word, std::span<const std::string> names,
                         std::string_view otherwise);

}  // namespace shardmill::base
