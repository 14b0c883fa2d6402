#include "libraries/cufft/callbacks.hpp"

#include "libraries/common/soname.hpp"
#include "libraries/cufft/gpus.hpp"
#include "libraries/cufft/run.hpp"

namespace nvmlkit::cufft {

namespace {

// CUDA 12's libcufft has the number 11.
const char* release() {
  static const bool kIsOld = libraries::is_loaded_as("libcufft.so.11");
  return kIsOld ? ".so.12" : ".so.13";
}

Box box_of(const fft::Shape& shape, std::int64_t fft::Dimension::*stride, std::int64_t distance, bool is_halved) {
  Box out{};
  std::size_t d = 0;
  const auto put = [&](std::int64_t size, std::int64_t step) {
    out.sizes[d] = static_cast<unsigned long long>(size);
    out.strides[d++] = static_cast<unsigned long long>(step);
  };
  put(shape.batch, distance);
  for (auto missing = shape.dimensions.size(); missing < Box::kDimensions - 1; ++missing) put(1, 0);
  for (const auto& each : shape.dimensions) {
    const bool half = is_halved && &each == &shape.dimensions.back();
    put(half ? each.size / 2 + 1 : each.size, each.*stride);
  }
  out.count = 1;
  for (const auto size : out.sizes) out.count *= size;
  return out;
}

Box load_box(const fft::Shape& shape) {
  return box_of(shape, &fft::Dimension::in_stride, shape.in_distance, shape.kind == fft::Kind::complex_to_real);
}

Box store_box(const fft::Shape& shape) {
  return box_of(shape, &fft::Dimension::out_stride, shape.out_distance, shape.kind == fft::Kind::real_to_complex);
}

// Memory in a stream, where the elements of a side with a callback lie as the program's do.
class Staged {
 public:
  Staged(const Callbacks::Side& side, CUstream stream, std::int64_t extent) : side_(side), stream_(stream) {
    if (!side.callback) return;
    const auto bytes = static_cast<std::size_t>(extent) * size_of(element_of(side.callback->type));
    is_missing_ = calls()->allocate_in(&address_, bytes, stream) != cuda::CUDA_SUCCESS;
  }
  ~Staged() {
    if (side_.callback && !is_missing_) calls()->free_in(address_, stream_);
  }
  Staged(const Staged&) = delete;
  Staged& operator=(const Staged&) = delete;

  bool is_missing() const { return is_missing_; }
  void* in_place_of(void* memory) const { return side_.callback ? reinterpret_cast<void*>(address_) : memory; }

  // Calls the callback for each element, if there is one.
  cufftResult launch(void* memory, Box box) const {
    if (!side_.callback) return CUFFT_SUCCESS;
    void* elements = in_place_of(memory);
    void* info = side_.callback->info;
    void* parameters[] = {&elements, &memory, &info, &box};
    return answer_of(side_.kernel->launch(stream_, box.count, static_cast<unsigned>(side_.shared), parameters));
  }

 private:
  const Callbacks::Side& side_;
  CUstream stream_;
  cuda::CUdeviceptr address_ = 0;
  bool is_missing_ = false;
};

}  // namespace

void Callbacks::set(Callback callback) {
  Side& side = is_load(callback.type) ? load_ : store_;
  side.callback = std::move(callback);
}

bool Callbacks::set_shared(cufftXtCallbackType type, std::size_t bytes) {
  Side& side = is_load(type) ? load_ : store_;
  if (!side.callback || side.callback->type != type) return false;
  side.shared = bytes;
  return true;
}

cufftResult Callbacks::prepare(const Layout& layout) {
  for (Side* side : {&load_, &store_}) {
    if (!side->callback) continue;
    const auto& [type, symbol, lto_ir, info] = *side->callback;
    if (element_of(type) != (side == &load_ ? layout.in_type() : layout.out_type())) return CUFFT_INVALID_TYPE;
    if (!calls()) return CUFFT_SETUP_FAILED;
    const auto& driver = *calls()->driver;
    if (libraries::ensure_context(driver) != cuda::CUDA_SUCCESS) return CUFFT_SETUP_FAILED;
    const auto result =
        libraries::linked_kernel(driver, callback_kernel(type, symbol), {{symbol, lto_ir}}, release(), side->kernel);
    if (result == libraries::Linking::no_compiler) return CUFFT_NVRTC_FAILURE;
    if (result == libraries::Linking::not_linked) return CUFFT_NVJITLINK_FAILURE;
  }
  return CUFFT_SUCCESS;
}

cufftResult Callbacks::run(CUstream stream, const fft::Shape& shape, void* in, void* out,
                           const std::function<cufftResult(void* in, void* out)>& transform) const {
  const Staged loaded(load_, stream, shape.in_extent()), stored(store_, stream, shape.out_extent());
  if (loaded.is_missing() || stored.is_missing()) return CUFFT_ALLOC_FAILED;
  auto result = loaded.launch(in, load_box(shape));
  if (result == CUFFT_SUCCESS) result = transform(loaded.in_place_of(in), stored.in_place_of(out));
  return result == CUFFT_SUCCESS ? stored.launch(out, store_box(shape)) : result;
}

}  // namespace nvmlkit::cufft
