#include "libraries/cufft/copies.hpp"

#include <algorithm>

namespace nvmlkit::cufft {
namespace {

using cuda::CUresult;

// Rows side by side in memory of the GPU, and `pitch` bytes apart in memory of the host.
struct Rows {
  std::size_t on_gpu, on_host, count, bytes, pitch;
};

template <class Copy>
CUresult each_rows(const Part& part, std::size_t number, Copy copy) {
  const auto bytes = [&](std::int64_t count) { return static_cast<std::size_t>(count) * number; };
  const auto& [outer, middle, inner] = part.loops;
  for (std::int64_t i = 0; i < outer.count; ++i) {
    const Rows rows{bytes(i * outer.step), bytes(part.first + i * outer.in_whole),
                    static_cast<std::size_t>(middle.count), bytes(inner.count),
                    bytes(std::max(middle.in_whole, inner.count))};
    if (const auto result = copy(rows); result != cuda::CUDA_SUCCESS) return result;
  }
  return cuda::CUDA_SUCCESS;
}

CUresult put_rows(const Rows& rows, void* gpu, const void* host) {
  cuda::CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = cuda::CU_MEMORYTYPE_HOST;
  copy.srcHost = static_cast<const std::byte*>(host) + rows.on_host;
  copy.srcPitch = rows.pitch;
  copy.dstMemoryType = cuda::CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = reinterpret_cast<cuda::CUdeviceptr>(gpu) + rows.on_gpu;
  copy.dstPitch = rows.bytes;
  copy.WidthInBytes = rows.bytes;
  copy.Height = rows.count;
  return calls()->driver->copy_rows(&copy);
}

CUresult get_rows(const Rows& rows, void* host, const void* gpu) {
  cuda::CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = cuda::CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = reinterpret_cast<cuda::CUdeviceptr>(gpu) + rows.on_gpu;
  copy.srcPitch = rows.bytes;
  copy.dstMemoryType = cuda::CU_MEMORYTYPE_HOST;
  copy.dstHost = static_cast<std::byte*>(host) + rows.on_host;
  copy.dstPitch = rows.pitch;
  copy.WidthInBytes = rows.bytes;
  copy.Height = rows.count;
  return calls()->driver->copy_rows(&copy);
}

// Several transforms: the parts are one behind the other on the host.
template <class Copy>
CUresult each_batch_part(const Spread& spread, cufftXtSubFormat format, Copy copy) {
  std::size_t at = 0;
  for (int g = 0; g < spread.gpus(); ++g) {
    const auto bytes = spread.bytes(format, g);
    if (bytes == 0) continue;
    if (const auto result = copy(g, Rows{0, at, 1, bytes, bytes}); result != cuda::CUDA_SUCCESS) return result;
    at += bytes;
  }
  return cuda::CUDA_SUCCESS;
}

// copy(GPU, rows), in the context of the GPU.
template <class Copy>
cufftResult each_part(const Plan& plan, const Descriptor& of, Copy copy) {
  const auto& spread = *plan.spread();
  const auto& gpus = *plan.gpus();
  const auto format = static_cast<cufftXtSubFormat>(of.format);
  const auto in_context = [&](int g, const Rows& rows) {
    const InContext current(gpus[g].context);
    return of.memory->data[g] ? copy(g, rows) : cuda::CUDA_SUCCESS;
  };
  auto result = gpus.wait();
  if (spread.kind() == Spread::Kind::batches) {
    if (result == cuda::CUDA_SUCCESS) result = each_batch_part(spread, format, in_context);
    return answer_of(result);
  }
  for (int g = 0; g < gpus.count() && result == cuda::CUDA_SUCCESS; ++g)
    result = each_rows(spread.part(format, g), spread.number(), [&](const Rows& rows) { return in_context(g, rows); });
  return answer_of(result);
}

bool is_line_of(const Plan& plan, const Descriptor& descriptor, cufftXtSubFormat format) {
  return plan.spread()->kind() == Spread::Kind::line && descriptor.format == static_cast<int>(format);
}

cufftResult copy_batches(const Plan& plan, const Descriptor& to, const Descriptor& from) {
  const auto& gpus = *plan.gpus();
  auto result = gpus.wait();
  for (int g = 0; g < gpus.count() && result == cuda::CUDA_SUCCESS; ++g) {
    const auto bytes = std::min(plan.spread()->bytes(static_cast<cufftXtSubFormat>(to.format), g),
                                plan.spread()->bytes(static_cast<cufftXtSubFormat>(from.format), g));
    const InContext current(gpus[g].context);
    if (bytes > 0)
      result = calls()->copy(reinterpret_cast<cuda::CUdeviceptr>(to.memory->data[g]),
                             reinterpret_cast<cuda::CUdeviceptr>(from.memory->data[g]), bytes);
  }
  return answer_of(result);
}

}  // namespace

bool is_of(const Descriptor& descriptor, const Gpus& gpus) {
  if (!descriptor.memory || descriptor.memory->gpu_count != gpus.count()) return false;
  for (int g = 0; g < gpus.count(); ++g)
    if (descriptor.memory->gpus[g] != gpus[g].number) return false;
  return true;
}

cufftResult copy_to_gpus(Plan& plan, const Descriptor& to, const void* from) {
  if (!is_of(to, *plan.gpus())) return CUFFT_INVALID_VALUE;
  // The results of a line are not written by the host.
  if (is_line_of(plan, to, CUFFT_XT_FORMAT_INPLACE_SHUFFLED)) return CUFFT_INVALID_TYPE;
  return each_part(plan, to, [&](int g, const Rows& rows) { return put_rows(rows, to.memory->data[g], from); });
}

cufftResult copy_to_host(Plan& plan, void* to, const Descriptor& from) {
  if (!is_of(from, *plan.gpus())) return CUFFT_INVALID_VALUE;
  // Its ordered input is for a transform only.
  if (is_line_of(plan, from, CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED)) return CUFFT_INVALID_TYPE;
  return each_part(plan, from, [&](int g, const Rows& rows) { return get_rows(rows, to, from.memory->data[g]); });
}

cufftResult copy_between(Plan& plan, Descriptor& to, const Descriptor& from) {
  const auto& spread = *plan.spread();
  if (!is_of(to, *plan.gpus()) || !is_of(from, *plan.gpus())) return CUFFT_INVALID_VALUE;
  if (is_line_of(plan, from, CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED)) return CUFFT_INVALID_TYPE;
  if (spread.kind() == Spread::Kind::batches) return copy_batches(plan, to, from);
  const auto shuffled = static_cast<int>(CUFFT_XT_FORMAT_INPLACE_SHUFFLED);
  const bool has_real = plan.layout()->kind() != fft::Kind::complex;
  if (to.format == shuffled) return CUFFT_INTERNAL_ERROR;
  if (spread.kind() == Spread::Kind::slabs && spread.is_flat() && has_real && from.format == shuffled)
    return CUFFT_INTERNAL_ERROR;
  std::vector<void*> in(from.memory->data, from.memory->data + spread.gpus());
  std::vector<void*> out(to.memory->data, to.memory->data + spread.gpus());
  const auto is_empty = [](const void* data) { return !data; };
  if (std::any_of(in.begin(), in.end(), is_empty) || std::any_of(out.begin(), out.end(), is_empty))
    return CUFFT_INTERNAL_ERROR;
  const auto stages = std::make_shared<const Stages>(
      reordered(spread, static_cast<cufftXtSubFormat>(from.format), CUFFT_XT_FORMAT_INPLACE));
  auto result = run_stages(*plan.gpus(), plan.stream, stages, in, out);
  if (result == cuda::CUDA_SUCCESS) result = plan.gpus()->wait();
  if (result == cuda::CUDA_SUCCESS) to.format = static_cast<int>(CUFFT_XT_FORMAT_INPLACE);
  return answer_of(result);
}

}  // namespace nvmlkit::cufft
