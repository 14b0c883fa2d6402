#include "driver/cuda/launches/pipes.hpp"

#include <algorithm>

namespace nvmlkit::cuda::pipes {
namespace {

using host_kernels::Pipe;
using ptx::Type;

bool is_integer(Type type) {
  return type == Type::b1 || type == Type::s4 || type == Type::u4 || type == Type::s8 || type == Type::u8 ||
         type == Type::s32;
}

Pipe of_product(const ptx::Meaning& meaning) {
  if (std::ranges::find(meaning.types, Type::f64) != std::end(meaning.types)) return host_kernels::pipe_dfma;
  return std::ranges::any_of(meaning.types, is_integer) ? host_kernels::pipe_imma : host_kernels::pipe_hmma;
}

}  // namespace

Pipe of(const KernelFunction& function) {
  auto known = static_cast<Pipe>(function.pipe.load(std::memory_order_relaxed));
  if (known != host_kernels::pipe_count) return known;
  const auto& code = *function.code;
  if (!code.is_decoded) return host_kernels::pipe_other;
  known = host_kernels::pipe_other;
  for (const auto& meaning : code.meanings) {
    using ptx::Op;
    if (meaning.op != Op::mma_ && meaning.op != Op::wmma_ && meaning.op != Op::wgmma_) continue;
    known = of_product(meaning);
    break;
  }
  function.pipe.store(known, std::memory_order_relaxed);
  return known;
}

}  // namespace nvmlkit::cuda::pipes
