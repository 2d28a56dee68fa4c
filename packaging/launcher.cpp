// What users start in the portable archive: runs the program with the loader and the libraries that lie
// beside it, so that nothing of the machine's own is needed. It is linked statically, and there is no shell
// in between: arguments arrive as they were given, and signals go to the program itself.
#include <sys/auxv.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

/// The path of this file with all links resolved; empty when it cannot be told.
std::string own_path() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length > 0) return {path, static_cast<std::size_t>(length)};
  // Without /proc: what the kernel was asked to run.
  const auto* given = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return given != nullptr && realpath(given, path) != nullptr ? path : "";
}

std::string above(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = above(above(own_path()));
  const std::string libraries = folder + "/lib/shardmill";
  const std::string loader = libraries + "/" + SHARDMILL_LOADER;
  const std::string program = libraries + "/shardmill";
  const std::string name = argc > 0 ? argv[0] : "shardmill";
  std::vector<char*> arguments;
  const auto add = [&](const char* word) { arguments.push_back(const_cast<char*>(word)); };
  for (const char* word :
       {loader.c_str(), "--library-path", libraries.c_str(), "--argv0", name.c_str(), program.c_str()})
    add(word);
  for (int i = 1; i < argc; ++i) add(argv[i]);
  add(nullptr);
  execv(loader.c_str(), arguments.data());
  std::fprintf(stderr, "shardmill: %s cannot be started: %s; unpack the archive again, as a whole\n",
               loader.c_str(), std::strerror(errno));
  return 1;
}
