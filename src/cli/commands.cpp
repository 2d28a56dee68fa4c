#include "shardmill/cli/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "shardmill/base/error.hpp"
#include "shardmill/base/similar.hpp"
#include "shardmill/cli/cat_command.hpp"
#include "shardmill/cli/convert_command.hpp"
#include "shardmill/cli/doctor_command.hpp"
#include "shardmill/cli/index_command.hpp"
#include "shardmill/cli/inspect_command.hpp"
#include "shardmill/cli/ranks_command.hpp"
#include "shardmill/cli/repack_command.hpp"
#include "shardmill/cli/report_command.hpp"
#include "shardmill/cli/verify_command.hpp"

namespace shardmill::cli {

std::span<const Command> commands() {
  static const std::array kCommands{repack_command(), convert_command(), verify_command(),
                                    ranks_command(),  inspect_command(), index_command(),
                                    cat_command(),    report_command(),  doctor_command()};
  return kCommands;
}

const Command& find_command(std::string_view name) {
  const auto all = commands();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Command& command) { return command.text.name == name; });
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const Command& command : all) names.emplace_back(command.text.name);
    throw UsageError(fmt::format("there is no command '{}'", name), {},
                     base::did_you_mean(name, names, "see shardmill --help"));
  }
  return *found;
}

CommandLine options_of(const Command& command) {
  CommandLine line(command.text);
  command.add_options(line);
  line.add_common_options();
  return line;
}

}  // namespace shardmill::cli
