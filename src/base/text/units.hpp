// Units: reads sizes and durations as people write them, and writes quantities as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shardmill::base {

/// Reads a number of bytes: "4096", "4K", "1.5G", "512MiB". K M G T, alone or followed by B, are powers of
/// 1000; KiB MiB GiB TiB are powers of 1024. Case does not matter; a fraction of a byte is dropped. Throws
/// UsageError.
std::uint64_t parse_size(std::string_view text);

/// Reads a number of seconds: "90", "90s", "1.5s", "250ms", "30m", "1h30m". Units go from large to small,
/// each at most once. Throws UsageError.
double parse_duration_seconds(std::string_view text);

/// 1234567 -> "1,234,567".
std::string format_count(std::uint64_t count);
/// "1 shard", "1,234 shards".
std::string format_count(std::uint64_t count, std::string_view one);
/// Powers of 1000 with at least three digits: "999 B", "1.23 kB", "45.6 MB", "789 GB".
std::string format_size(std::uint64_t bytes);
/// "45.6 MB/s".
std::string format_rate(double bytes_per_second);
/// An amount of audio: "1,234.5 h"; "12.3 min" below an hour; "4.57 s" below a minute.
std::string format_audio(double seconds);
/// A span of time: "0.4 s", "12 s", "3 min 05 s", "2 h 07 min", "3 d 04 h".
std::string format_elapsed(double seconds);

/// A speed as a multiple of real time: "1.0", "9.3", "12,345". Goes before "times", so even 1 is written as
/// "1.0".
std::string format_speed(double times_real_time);

}  // namespace shardmill::base
