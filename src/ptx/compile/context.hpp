// What compiled code and its callers share. Compiled code takes lanes of a warp from one instruction on, and gives them
// back at the instruction where it ends, with all values that are still needed in the registers of the frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace nvmlkit::ptx {

class Warp;
struct Function;
struct PieceNode;
struct WholeWarp;

// The memory that an instruction reached last. Its bytes lie at address + delta. Where delta is 0, the program reaches
// them, too.
struct Reached {
  std::uint64_t start = 0, size = 0;
  std::uintptr_t delta = 0;
};

// Some lanes at an instruction.
struct Part {
  std::uint32_t at, lanes;
};
inline constexpr std::size_t kMostParts = 8;
inline constexpr std::uint32_t kMoreCode = ~0u;  // of CodeContext::resumes

struct CodeContext;
// Executes one instruction for the lanes, as the interpreter does. Its operands are in the registers of the frame.
// `place` is the number of what it reached, or -1. False: it faulted.
using ExecuteOne = bool (*)(CodeContext*, std::uint32_t at, std::int32_t place);
// See packed.hpp.
using Unpack = void (*)(std::byte* registers, std::uint32_t register_bytes);
using UnpackRegister = void (*)(std::byte* at, std::uint32_t* mark, const std::byte* first);

// Before and behind shared memory lie so many bytes that no program reaches. So where some lanes reach shared memory,
// code may load and store what all lanes would.
inline constexpr std::size_t kRoomAroundShared = 256;

// What code did with memory that other threads wait for or change.
inline constexpr std::uint32_t kMemoryChanged = 1, kMemoryLookedAt = 2;

struct CodeContext {
  // Of the warp, in the order of WholeWarp: they are copied for each piece.
  Warp* warp = nullptr;
  std::byte* registers = nullptr;  // of the frame
  const std::byte* special = nullptr;
  std::byte* frame_params = nullptr;  // of calls, lane after lane
  std::uint32_t* carry = nullptr;     // a bit for each lane
  std::byte* local = nullptr;         // lane after lane, or in words (local_words.hpp)
  std::uint64_t local_bytes = 0;      // of a lane
  std::uint64_t local_start = 0;      // of the frame
  std::byte* shared = nullptr;
  std::uint64_t shared_bytes = 0;
  const std::byte* params = nullptr;  // of the kernel
  std::uint64_t param_bytes = 0;
  Reached* reached = nullptr;  // one for each instruction that was given one
  ExecuteOne execute_one = nullptr;
  Unpack unpack = nullptr;
  UnpackRegister unpack_register = nullptr;
  std::uint64_t image = 0;     // where the variables of the module lie
  std::uint32_t lanes = 0;     // that execute
  std::uint32_t limit = ~0u;   // an instruction where other lanes of the warp wait for these
  std::int64_t budget = 0;     // instructions after which the turn ends
  std::uint64_t executed = 0;  // instructions, when the code has ended
  std::uint32_t at = 0;        // where it has ended
  // Where code may go on: behind what the interpreter has to execute, or where a check of the code failed, by another
  // piece. 0: at any place. kMoreCode: where it has ended, because it would be too large.
  std::uint32_t resumes = 0;
  std::uint32_t is_alone = 0;  // no other thread changes memory of GPUs
  std::uint32_t is_whole = 0;  // the lanes are all threads of the block: its barriers are none for them
  std::uint32_t polls = 0;     // kMemoryChanged, kMemoryLookedAt
  std::uint32_t arrived = 0;   // lanes that have left `lanes` for `limit`
  // Of code for all lanes: so many warps behind `own`, the one that it executes, go on with the same code in this call,
  // each when the one before has ended, has come to a barrier, or has come to `stops_at`, where short turns end.
  WholeWarp* own = nullptr;
  std::uint32_t more = 0, stops_at = ~0u;
  std::uint32_t ended_before = 0, stopped_before = 0;  // of the warps before `own`
  std::uint64_t executed_before = 0;
  std::uint32_t part_count = 0;  // where it has ended with lanes in several places: some have none
  Part parts[kMostParts];
  // For the compiler: of each byte of `params`, whether launches differ in it. Null: nothing is known of that.
  const std::byte* varied = nullptr;
  // For those who execute code: a piece that most warps leave at a check of what it takes for granted.
  const PieceNode* unfit = nullptr;
};

// `ended`: all threads of the warp have; only a kernel says so. `parted`: its lanes are in several places.
enum class CodeEnd : std::uint32_t { left, mismatch, faulted, ended, parted };

// Mismatch: the warp is not what the code was made for, and nothing has happened.
using Code = CodeEnd (*)(CodeContext*);

// A piece of code.
struct Piece {
  Code code = nullptr;
  std::uint32_t places = 0;        // of `reached`
  void* kept = nullptr;            // what the compiler knows of it; null for a piece that an earlier process made
  std::array<char, 65> file = {};  // its name on disk, with a zero behind it; empty if it is not kept there
};

// Code for all lanes of a warp is faster than code for some.
enum class CodeFor : std::uint8_t { all_lanes, some_lanes };

// What a piece takes for granted: that a warp is like the one that it is made for, or no more than what is common to
// all warps that pieces were made for.
enum class Assumes : std::uint8_t { as_much, what_is_common };

// The interface of the library. `before` is the piece that was made last for the instruction, or null. It did not fit.
struct CompilerInterface {
  std::uint32_t version;
  bool (*compile)(const Function& function, std::uint32_t at, const CodeContext& warp, CodeFor lanes,
                  const Piece* before, Assumes assumes, Piece& out);
  // No thread executes the piece any more.
  void (*release)(const Piece& piece);
  // The function will end.
  void (*forget)(const Function& function);
};
inline constexpr std::uint32_t kCompilerVersion = 31;
inline constexpr char kCompilerSymbol[] = "nvmlkit_ptx_compiler";

}  // namespace nvmlkit::ptx
