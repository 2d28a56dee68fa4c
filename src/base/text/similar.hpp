// Similar names: what somebody may have meant who wrote something that does not exist.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace shardmill::base {

/// The name most like `word`; nullopt where none is so like it that it was probably meant. Of equals the
/// first.
std::optional<std::string> most_similar(std::string_view word, std::span<const std::string> names);

/// "did you mean 'aishell2'?", or `otherwise` where no name is like it.
std::string did_you_mean(std::string_view word, std::span<const std::string> names,
                         std::string_view otherwise);

}  // namespace shardmill::base
