// What users start in the portable archive: runs the program with the loader and the libraries that lie
// beside it, so that nothing of the machine's own is needed. It is linked statically, and there is no shell
// in between: arguments arrive as they were given, and signals go to the program itself.
#include <elf.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

/// The program and its libraries are beside each other in lib/shardmill.
constexpr const char* kFiles[] = {SHARDMILL_FILES};

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

int fail(const std::string& path, const char* problem) {
  std::fprintf(stderr, "shardmill: %s %s; unpack the archive again, as a whole\n", path.c_str(), problem);
  return 1;
}

/// What is wrong with a program or a library; null: nothing. Each ends with a table that its first bytes tell
/// of. One that was cut would end the program by a signal, and one that is missing may be found elsewhere on
/// this machine, in another version. It may be replaced by another build: nothing more is compared.
const char* problem_of(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno == ENOENT ? "is missing" : "cannot be read";
  Elf64_Ehdr header;
  struct stat status;
  const bool is_read = read(file, &header, sizeof header) == sizeof header && fstat(file, &status) == 0;
  close(file);
  if (!is_read || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "is damaged";
  const auto bytes = header.e_shoff + std::uint64_t{header.e_shnum} * header.e_shentsize;
  return static_cast<std::uint64_t>(status.st_size) < bytes ? "is damaged: it was cut" : nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string libraries = above(above(own_path())) + "/lib/shardmill";
  for (const char* file : kFiles) {
    const std::string path = libraries + "/" + file;
    if (const char* problem = problem_of(path)) return fail(path, problem);
  }
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
  return fail(loader, (std::string("cannot be started: ") + std::strerror(errno)).c_str());
}
