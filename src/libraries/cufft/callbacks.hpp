// Device code of a program that gives the elements of a plan's input, or takes those of its output.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "libraries/common/linked_kernel.hpp"
#include "libraries/cufft/callback_code.hpp"
#include "libraries/cufft/layout.hpp"

namespace nvmlkit::cufft {

struct Callback {
  cufftXtCallbackType type;
  std::string symbol, lto_ir;
  void* info = nullptr;  // the caller's, in memory of the device
};

// The callbacks of one plan.
class Callbacks {
 public:
  struct Side {
    std::optional<Callback> callback;
    std::size_t shared = 0;  // bytes of a block
    std::shared_ptr<const libraries::LinkedKernel> kernel;
  };

  explicit operator bool() const { return load_.callback || store_.callback; }
  void set(Callback callback);
  // False: there is no callback of this type.
  bool set_shared(cufftXtCallbackType type, std::size_t bytes);

  // Links them for a layout and the current GPU. CUFFT_SUCCESS, or why they do not go together.
  cufftResult prepare(const Layout& layout);

  // A run in a stream of the current context. `transform` hands a transform from one memory to another to the stream.
  cufftResult run(CUstream stream, const fft::Shape& shape, void* in, void* out,
                  const std::function<cufftResult(void* in, void* out)>& transform) const;

 private:
  Side load_, store_;
};

}  // namespace nvmlkit::cufft
