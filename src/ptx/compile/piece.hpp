// Pieces of compiled code as a function keeps them.
#pragma once

#include <cstdint>

#include "ptx/compile/context.hpp"

namespace nvmlkit::ptx {

// A piece with its number among all of the process.
struct NumberedPiece {
  Piece piece;
  std::uint32_t number = 0;
};

// The pieces for an instruction, newest first.
struct PieceNode {
  NumberedPiece code;
  const PieceNode* next = nullptr;
};

}  // namespace nvmlkit::ptx
