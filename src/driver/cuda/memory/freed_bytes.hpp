// Memory of the host that freed device memory lay in. The next allocation of its size gets it, with what was written
// there, as on a GPU: the host's pages need not be fetched again. Rodinia's streamcluster, which allocates in a loop,
// spent a third of its time on that.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nvmlkit::cuda::freed_bytes {

// Of so many bytes, all pages of mmap. Null: there is none of this size.
std::byte* take(std::uint64_t size);
// Where there is too much, the oldest goes back to the system. False: it is too large, and the caller still has it.
bool keep(std::byte* bytes, std::uint64_t size);

}  // namespace nvmlkit::cuda::freed_bytes
