#include "ptx/run/votes.hpp"

#include "ptx/compile/packed.hpp"

namespace nvmlkit::ptx {

void put_result(const Instruction& barrier, const Votes& votes, const Function& function, std::byte* registers,
                Mask lanes) {
  auto* const at = registers + barrier.d.offset();
  if (barrier.detail == 'p') {
    unpack(registers, function.register_bytes);  // a mark would say what the register had before
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (lanes >> lane & 1) reinterpret_cast<std::uint32_t*>(at)[lane] = votes.with_true;
    return;
  }
  const bool result = barrier.detail == '&' ? votes.with_true == votes.threads : votes.with_true > 0;
  auto& predicate = *reinterpret_cast<Mask*>(at);
  predicate = result ? predicate | lanes : predicate & ~lanes;
}

}  // namespace nvmlkit::ptx
