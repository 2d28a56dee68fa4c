// The signals that ask the program to stop, and waits that such a signal ends.
#pragma once

namespace shardmill::base {

/// From now on the first SIGINT, SIGTERM or SIGHUP is remembered and a second one kills the program. SIGPIPE
/// and SIGXFSZ (a closed pipe, a limit on file sizes) no longer kill: the write fails instead.
void install_stop_signals();

/// The signal that asked the program to stop, or 0. Thread-safe.
int stop_signal() noexcept;

/// Throws Interrupted when the program should stop.
void check_stop();

/// Waits until a read from `descriptor` would not block: there is data, it has ended, or it has failed.
/// Throws Interrupted when a signal asks the program to stop meanwhile.
void wait_readable(int descriptor);

}  // namespace shardmill::base
