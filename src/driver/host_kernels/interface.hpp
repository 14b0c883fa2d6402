// How a library with NVIDIA's interface, libcublas for example, hands work to our libcuda.so.1: a kernel that is a
// function of the host. It is enqueued in a stream, kept in graphs and seen by the machine as any kernel is. The
// library asks cuGetExportTable for the table below. Both sides may be of different builds: everything here is plain C.
#pragma once

#include <cstdint>

namespace nvmlkit::host_kernels {

// Of cuGetExportTable.
inline constexpr unsigned char kTableId[16] = {0x6e, 0x76, 0x6d, 0x6c, 0x6b, 0x69, 0x74, 0x2d,
                                               0x6b, 0x65, 0x72, 0x6e, 0x65, 0x6c, 0x73, 0x31};

enum Access : int { access_read = 0, access_write = 1 };

// What a kernel reaches while it runs. Calls come from the thread that runs it.
struct Running {
  // The host's address of `size` bytes at an address of the device; they stay there until the kernel ends. Null: the
  // access is illegal, as one of any kernel. The context has failed, and the kernel returns.
  void* (*reach)(Running* self, std::uint64_t address, std::uint64_t size, Access access);
  // For kernels of more than some milliseconds: the machine sees that it runs. False: it is to return at once.
  bool (*tick)(Running* self);
  unsigned threads;  // that it may use
};

// What a kernel computes with. The last three: units of the multiprocessors for matrices of 16 bits (8-bit floats and
// TF32 too), of integers and of doubles, which the machine shows as tensor activity.
enum Pipe : unsigned { pipe_other = 0, pipe_fp64, pipe_fp32, pipe_fp16, pipe_hmma, pipe_imma, pipe_dfma, pipe_count };

struct Kernel {
  const char* name;  // that messages name; it is never freed
  double operations;
  double bytes;  // that it reads and writes
  // Never throws. 0, or the CUresult that the context fails with.
  int (*run)(Running* running, void* arguments);
  void* arguments;
  void (*release)(void* arguments);  // once, when neither a stream nor a graph keeps the kernel
  unsigned pipe;                     // a Pipe; only enqueue_sized reads it
};

struct Table {
  std::uint64_t size;  // of this table; a newer libcuda has a longer one
  // Answers a CUresult. Whatever it is, the arguments are released, now or later.
  int (*enqueue)(void* stream, const Kernel* kernel);
  // For kernels that move bytes between GPUs of the machine; each end counts its own. `bus_id` is the other GPU, as
  // cuDeviceGetPCIBusId writes it. False: no NVLink leads there.
  bool (*count_traffic)(Running* running, const char* bus_id, std::uint64_t sent, std::uint64_t received);
  // A bit for each NVLink of the GPU that carries traffic now.
  std::uint64_t (*active_links)(Running* running);
  // As enqueue, with a kernel of `size` bytes: members may come behind those that one side knows.
  int (*enqueue_sized)(void* stream, const Kernel* kernel, std::uint64_t size);
};

}  // namespace nvmlkit::host_kernels
