// What becomes of memory that the program has freed.
#pragma once

namespace shardmill::base {

/// Large blocks go back to the system as soon as they are freed. Otherwise each thread keeps some for the
/// next time, and many threads with large samples hold several times what --memory allows. Call it before
/// there are threads.
void give_back_freed_memory() noexcept;

}  // namespace shardmill::base
