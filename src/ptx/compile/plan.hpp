// Which pieces of a function were worth having in earlier processes: a file beside their code on disk. A piece checks
// what it takes for granted, so that a plan may be of no use and cannot be wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/compile/context.hpp"

namespace nvmlkit::ptx {

// What is known of an instruction: a piece that begins there, that further ones are of no use, that it cannot be
// compiled, or that warps came to it and it has no code yet.
enum class Planned : std::uint8_t { piece, no_more, none, visited };

struct PlannedPiece {
  std::uint32_t at = 0;
  CodeFor lanes = CodeFor::all_lanes;
  std::uint32_t places = 0;  // of `reached`
  std::uint32_t idle = 0;    // so many processes in a row had no warp that fitted
  std::string file;          // of its code
  Planned kind = Planned::piece;
  std::uint32_t visits = 0;
  bool operator==(const PlannedPiece&) const = default;
};

// Those of an instruction in the order in which warps try them.
using Plan = std::vector<PlannedPiece>;

// Pieces that no warp of so many processes fitted are left out.
inline constexpr std::uint32_t kMostIdle = 4;
// What a plan has at most, in all and for an instruction.
inline constexpr std::size_t kMostPlanned = 256, kMostPlannedAt = 6;

// `key` is the name of the plan, and also stands in it.
std::string text_of(const Plan& plan, std::string_view key);
// Nothing where the text is none of a plan of that name, or names places that the function does not have.
std::optional<Plan> plan_of(std::string_view text, std::string_view key, const Function& function);

// What this process knows, then pieces that others have added to the file meanwhile. `known`: names of files that this
// process knows, also of pieces that it left out.
Plan merged(Plan own, const Plan& others, const std::vector<std::string>& known);

// A name for all that the code of the function depends on: its instructions, the compiler, this processor, settings.
// Empty where nothing is kept on disk.
std::string plan_key(const Function& function);

// Files in the folder of code. Nothing where there is none.
std::optional<std::string> kept_file(const std::string& name);
void keep_file(const std::string& name, std::string_view content);

}  // namespace nvmlkit::ptx
