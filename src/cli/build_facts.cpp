#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

#include "base/system/vector_path.hpp"
#include "base/text/json_writer.hpp"
#include "base/version.hpp"
#include "cli/commands/shared_options.hpp"
#include "cli/help.hpp"
#include "codec/codec.hpp"
#include "dataset/environment.hpp"

namespace shardmill::cli {

namespace {

#if defined(__clang__)
constexpr std::string_view kCompiler = "clang " __clang_version__;
#else
constexpr std::string_view kCompiler = "gcc " __VERSION__;
#endif

#if defined(__x86_64__)
constexpr std::string_view kMachine = "x86_64";
#elif defined(__aarch64__)
constexpr std::string_view kMachine = "aarch64";
#else
constexpr std::string_view kMachine = "other";
#endif

/// "glibc 2.36".
std::string c_library() {
  std::array<char, 64> name{};
  return ::confstr(_CS_GNU_LIBC_VERSION, name.data(), name.size()) == 0 ? "unknown" : name.data();
}

}  // namespace

std::string build_facts() {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object().member("version", base::version()).member("compiler", kCompiler);
  json.member("machine", kMachine).member("c_library", c_library());
  json.key("libraries").begin_object();
  for (const auto& [library, version] : dataset::all_versions(library_versions())) {
    if (library != "shardmill") json.member(library, version);
  }
  json.end_object().key("built_without").begin_object();
  for (const auto& [library, effect] : codec::missing_libraries()) json.member(library, effect);
  json.end_object().key("vector_paths").begin_array();
  for (const base::VectorPath path : base::available_vector_paths()) json.value(base::name(path));
  json.end_array().member("vector_path", base::name(base::chosen_vector_path())).end_object();
  return text + "\n";
}

}  // namespace shardmill::cli
