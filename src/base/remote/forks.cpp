// What becomes of connections when the program is forked, as training loaders do. A file of its own: programs
// that never fork do not link it.
#include <pthread.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/remote/access.hpp"
#include "base/remote/object.hpp"

namespace shardmill::base {

void RemoteAccess::before_fork() noexcept {
  of_process().mutex_.lock();
}

void RemoteAccess::after_fork_in_parent() noexcept {
  of_process().mutex_.unlock();
}

void RemoteAccess::after_fork_in_child() noexcept {
  RemoteAccess& access = of_process();
  // Never closed: an encrypted connection would end for the parent, too.
  static_cast<void>(new (std::nothrow) std::vector<HttpClient>(std::exchange(access.idle_, {})));
  access.mutex_.unlock();
}

void keep_connections_from_children() {
  static_cast<void>(RemoteAccess::of_process());
  if (::pthread_atfork(&RemoteAccess::before_fork, &RemoteAccess::after_fork_in_parent,
                       &RemoteAccess::after_fork_in_child) != 0)
    throw FatalError(Error("the system takes no functions for forks", {}));
}

}  // namespace shardmill::base
