#include "base/reporter.hpp"

#include <csignal>

namespace shardmill {

Interrupted::Interrupted(int signal_number)
    : Error(signal_number == SIGINT ? "interrupted" : "stopped by a signal"), signal_number_(signal_number) {}

}  // namespace shardmill
