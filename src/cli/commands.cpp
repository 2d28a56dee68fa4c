#include "shardmill/cli/commands.hpp"

#include <array>

#include "shardmill/cli/cat_command.hpp"
#include "shardmill/cli/convert_command.hpp"
#include "shardmill/cli/doctor_command.hpp"
#include "shardmill/cli/inspect_command.hpp"
#include "shardmill/cli/ranks_command.hpp"
#include "shardmill/cli/repack_command.hpp"
#include "shardmill/cli/verify_command.hpp"

namespace shardmill::cli {

std::span<const Command> commands() {
  static const std::array kCommands{repack_command(),  convert_command(), verify_command(), ranks_command(),
                                    inspect_command(), cat_command(),     doctor_command()};
  return kCommands;
}

}  // namespace shardmill::cli
