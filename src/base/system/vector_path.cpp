#include "base/system/vector_path.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "base/error.hpp"

namespace shardmill::base {

namespace {

constexpr std::array kAllPaths{VectorPath::portable, VectorPath::ssse3, VectorPath::avx2, VectorPath::avx512,
                               VectorPath::neon};

VectorPath choose() {
  const std::vector<VectorPath> available = available_vector_paths();
  const char* forced = std::getenv("SHARDMILL_VECTOR_PATH");
  if (forced == nullptr || *forced == '\0') return available.front();
  const auto is_forced = [&](VectorPath path) { return name(path) == forced; };
  if (std::ranges::none_of(kAllPaths, is_forced)) {
    throw Error("SHARDMILL_VECTOR_PATH is not a vector path: " + printable(forced), {},
                "use avx512, avx2, ssse3, neon or portable");
  }
  const auto found = std::ranges::find_if(available, is_forced);
  if (found == available.end()) {
    throw Error("SHARDMILL_VECTOR_PATH asks for " + std::string(forced) + ", which this CPU does not have",
                {}, "unset it, or use portable");
  }
  return *found;
}

}  // namespace

std::string_view name(VectorPath path) {
  switch (path) {
    case VectorPath::portable:
      return "portable";
    case VectorPath::ssse3:
      return "ssse3";
    case VectorPath::avx2:
      return "avx2";
    case VectorPath::avx512:
      return "avx512";
    case VectorPath::neon:
      return "neon";
  }
  return {};
}

std::vector<VectorPath> available_vector_paths() {
  std::vector<VectorPath> paths;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
                    __builtin_cpu_supports("pclmul");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2");
  if (avx512) paths.push_back(VectorPath::avx512);
  if (avx2) paths.push_back(VectorPath::avx2);
  if (__builtin_cpu_supports("ssse3")) paths.push_back(VectorPath::ssse3);
#elif defined(__aarch64__)
  paths.push_back(VectorPath::neon);
#endif
  paths.push_back(VectorPath::portable);
  return paths;
}

VectorPath chosen_vector_path() {
  static const VectorPath path = choose();
  return path;
}

}  // namespace shardmill::base
