// Units: sizes and durations as people write them, and quantities as people like to read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shardmill::base {

/// "4096", "4K", "1.5G", "512MiB": bytes. K M G T, alone or with a B, are powers of 1000; Ki Mi Gi Ti with a
/// B are powers of 1024; case does not matter; part bytes are dropped. Throws UsageError.
std::uint64_t parse_size(std::string_view text);

/// "90", "90s", "1.5s", "250ms", "30m", "1h30m": seconds. Units from large to small, each once. Throws
/// UsageError.
double parse_duration_seconds(std::string_view text);

/// 1234567 -> "1,234,567".
std::string format_count(std::uint64_t count);
/// "1 shard", "1,234 shards".
std::string format_count(std::uint64_t count, std::string_view one);
/// Powers of 1000, three digits or more: "999 B", "1.23 kB", "45.6 MB", "789 GB".
std::string format_size(std::uint64_t bytes);
/// "45.6 MB/s".
std::string format_rate(double bytes_per_second);
/// An amount of audio: "1,234.5 h", below an hour "12.3 min", below a minute "4.57 s".
std::string format_audio(double seconds);
/// A time span to wait or look back on: "0.4 s", "12 s", "3 min 05 s", "2 h 07 min", "3 d 04 h".
std::string format_elapsed(double seconds);

}  // namespace shardmill::base
