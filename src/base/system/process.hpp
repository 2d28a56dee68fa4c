// How this process deals with the system: its standard streams, the signals that ask it to stop, its threads,
// and the memory that it has freed.
#pragma once

#include <string_view>

namespace shardmill::base {

/// Opens /dev/null for each standard stream that is closed. Call this first: otherwise the next opened file
/// would get the number of the stream, and all that is written to the stream. Messages are then lost, but
/// writing results to a closed standard output still fails.
void open_standard_streams();

/// Writes to standard error. Ignores failures, so that the work continues when the reader of the messages is
/// gone.
void write_to_standard_error(std::string_view text) noexcept;

/// Drops the text that libraries print to stdio's `stderr` from now on, as libmpg123, which libsndfile uses,
/// does. write_to_standard_error() is not affected. Call this once, before any threads are started.
void silence_libraries() noexcept;

/// From now on the first SIGINT, SIGTERM or SIGHUP asks the program to stop, and a second one kills it.
/// SIGPIPE and SIGXFSZ (a closed pipe, a limit on file sizes) no longer kill: the write fails instead.
void install_stop_signals();

/// The signal that asked the program to stop, or 0. Thread-safe.
int stop_signal() noexcept;

/// Throws Interrupted if a signal asked the program to stop.
void check_stop();

/// Waits until a read from `descriptor` would not block: there is data, it has ended, or it has failed.
/// Throws Interrupted if a signal asks the program to stop meanwhile.
void wait_readable(int descriptor);

/// Throws Error if the system does not let `count` threads run besides the caller's. Without this check, a
/// library that cannot start its threads in the middle of the work would end the process.
void check_threads(unsigned count);

/// From now on large blocks go back to the system as soon as they are freed. Otherwise each thread keeps some
/// for the next time, and many threads with large samples hold several times the allowed memory. Call it
/// before there are threads.
void give_back_freed_memory() noexcept;

}  // namespace shardmill::base
