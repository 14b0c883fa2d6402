// Copies of boxes of bytes, ready to run: the bytes of both sides, and references that keep them allocated.
#pragma once

#include <vector>

#include "driver/cuda/generated/api.hpp"
#include "driver/cuda/memory/memory.hpp"

namespace nvmlkit::cuda {

class Copy {
 public:
  // Finds both sides, or returns the reason for a missing one.
  CUresult find(const CUDA_MEMCPY3D& copy);

  std::size_t size() const { return box_.width * box_.height * box_.depth; }
  // Memory that the driver does not know: the program may use it again as soon as the call returns.
  bool is_from_pageable() const { return from_.is_pageable; }
  bool is_to_pageable() const { return to_.is_pageable; }
  // Even within devices, the program wants it done when the call returns.
  bool is_synchronous() const;
  bool is_from_host() const { return from_.is_host; }
  bool is_to_host() const { return to_.is_host; }
  // Between memories of two GPUs: the context of each side, and nothing else.
  std::vector<CUcontext> contexts_of_gpus() const;

  // Takes what is to be copied to a place of its own; to be done from there.
  void stage();
  // The memory of the host has room for what it writes to a device.
  bool fits() const;
  void perform() const;

 private:
  void note_written() const;
  void note_accesses() const;
  void check_source() const;
  struct Box {
    std::size_t width = 0, height = 0, depth = 0;
  };
  struct Side {
    CUmemorytype type;
    const void* host;
    CUdeviceptr device;
    std::size_t x, y, z, pitch, height;
    CUarray array;
  };
  struct Placed {
    Span span;  // of all its bytes
    std::size_t row = 0, slice = 0;
    bool is_host = false, is_pageable = false;
  };
  static CUresult place(const Side& side, const Box& box, Use use, Placed& out);
  static CUresult place_in_array(const Side& side, const Box& box, Placed& out);

  Box box_;
  Placed to_, from_;
  std::shared_ptr<std::byte[]> staged_;
  std::shared_ptr<const sanitize::HostStack> origin_;  // of a copy to the host that a sanitizer looks at
};

}  // namespace nvmlkit::cuda
