// Which instructions write the shared memory of a block.
#pragma once

#include "ptx/module.hpp"

namespace nvmlkit::ptx {

// Or may: generic addresses lead there, too.
inline bool writes_shared(const Function& function, std::uint32_t at) {
  const auto& i = function.code[at];
  if (i.kind != Kind::plain && i.kind != Kind::guarded) return false;
  const auto op = function.meanings[at].op;
  return (i.space == Space::shared && op != Op::ld_) || (i.space == Space::generic && op == Op::st_);
}

}  // namespace nvmlkit::ptx
