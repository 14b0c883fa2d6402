// An executable PTX module: variables, functions, decoded instructions.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/meaning.hpp"
#include "ptx/parse/lexer.hpp"
#include "ptx/types.hpp"

namespace nvmlkit::ptx {

class Warp;
class Compiled;
struct CheckedForm;
struct ModuleExtents;
struct Instruction;
struct Function;

// What executes an instruction for the lanes of a mask.
using Handler = void (*)(Warp& warp, const Instruction& instruction, Mask lanes);

// Where the 32 values of an operand lie: in one of three areas that a warp knows, at an offset.
struct Operand {
  enum Area : std::uint32_t { registers = 0, constants = 1, special = 2, none = 3 };
  std::uint32_t packed = std::uint32_t{none} << 30;

  static Operand at(Area area, std::uint32_t offset) { return {std::uint32_t{area} << 30 | offset}; }
  Area area() const { return static_cast<Area>(packed >> 30); }
  std::uint32_t offset() const { return packed & 0x3FFFFFFF; }
  bool is_there() const { return area() != none; }
};

// What the scheduler of a warp has to do itself; all else is `plain`, or `guarded` where a predicate chooses lanes.
enum class Kind : std::uint8_t { plain, guarded, branch, branch_table, call, ret, exit, barrier, converge, trap };

struct Instruction {
  Handler handler = nullptr;
  std::uint64_t immediate = 0;  // offset of an address, target of a branch, a number that a handler wants
  Operand d, d2, a, b, c;
  Operand guard;  // a predicate, if it is there
  bool guard_negated : 1 = false;
  bool writes : 1 = false;        // global memory
  bool is_idle : 1 = false;       // has no effect on a simulated memory
  bool is_lane_copy : 1 = false;  // cp.async: the addresses are in Function::operands, that in shared memory first
  Kind kind = Kind::plain;
  Space space = Space::generic;
  bool wide_address = true;  // the address register has 64 bits
  bool local_base = false;   // the address is relative to the local memory of the frame
  bool flag = false;         // what a handler makes of it
  std::uint8_t count = 1;    // values of a vector
  std::uint8_t detail = 0;   // what a handler makes of it
  std::uint32_t side = 0;    // in Function::operands, calls, tables
  int line = 0;
};

// Who sees a name: its own module, or all that are linked. Of weak definitions the first one counts, of common ones the
// largest, and either yields to a visible one.
enum class Linkage : std::uint8_t { local, visible, weak, common, external };

struct Variable;

struct Relocation {
  std::uint64_t at;    // in the variable
  std::string symbol;  // whose address lies there
  std::int64_t addend;
  std::uint8_t size;
  bool generic;
  // Of the two one, when modules were linked.
  const Variable* variable = nullptr;
  const Function* function = nullptr;
};

// A variable that the host binds to a texture or surface.
enum class Reference : std::uint8_t { none, texture, surface, sampler };

struct Variable {
  std::string name;
  Space space = Space::global;
  Type type = Type::none;
  std::uint64_t size = 0;  // 0 for an extern array
  std::uint32_t align = 1;
  std::uint64_t offset = 0;  // in its space; for global and constant in the image of the module
  std::vector<std::byte> initial;
  std::vector<Relocation> relocations;
  int line = 0;
  Linkage linkage = Linkage::local;
  bool is_managed = false;
  Reference reference = Reference::none;
  std::uint32_t part = 0;                // in which of the linked modules
  int architecture = 0;                  // of the target of its text: 10 * major + minor
  const Variable* definition = nullptr;  // the one that counts, if it is another

  bool is_extern() const { return linkage == Linkage::external; }
};

// Bytes of a space.
struct Span {
  std::uint64_t offset, size;
};

struct CallSite {
  const Function* function = nullptr;  // null: the address is in the instruction's operand a
  int builtin = -1;                    // or a function of the driver
  // Offsets in the caller's parameter area.
  std::vector<std::uint32_t> arguments, results;
};

struct Function {
  Function();
  ~Function();

  std::string name;
  bool is_entry = false;
  bool is_defined = false;
  Linkage linkage = Linkage::local;
  std::uint32_t part = 0;                // in which of the linked modules
  int architecture = 0;                  // of the target of its text: 10 * major + minor
  const Function* definition = nullptr;  // the one that counts, if it is another
  int line = 0;
  std::vector<Variable> parameters, results;
  std::vector<Instruction> code;
  std::vector<std::byte> constants;  // each 32 times
  std::vector<Operand> operands;     // of vectors
  std::vector<Meaning> meanings;     // of the instructions, by their number
  std::vector<Access> accesses;      // to registers, in the order of instructions
  std::vector<CheckedForm> checked;  // of the instructions, if a sanitizer asked for it (checks.hpp)
  std::vector<CallSite> calls;
  std::vector<std::vector<std::uint32_t>> tables;
  std::vector<std::string> not_simulated;  // of instructions: what they are
  std::atomic<bool> is_decoded{false};     // its code, and what depends on that; see decode()
  std::uint32_t register_bytes = 0;        // of a warp
  std::uint32_t local_bytes = 0;           // of a lane
  std::uint32_t frame_param_bytes = 0;     // of a lane: formal parameters of device functions, and those of its calls
  std::uint32_t kernel_param_bytes = 0;
  std::uint64_t shared_bytes = 0;  // static, that it and what it calls refer to
  std::vector<Span> shared_spans;  // where those variables lie; without `calls_by_address`, all that it reaches
  bool calls_by_address = false;   // it, or what it calls: any function may follow
  unsigned registers = 0;          // for attributes: of 32 bits, that a lane needs at one time, also in what it calls
  unsigned most_registers = 0;     // of those, if the kernel states it
  unsigned least_blocks = 0;       // of max_threads that fit a multiprocessor, if the kernel states it
  unsigned max_threads = 1024, required[3] = {0, 0, 0};
  unsigned cluster[3] = {0, 0, 0}, max_cluster = 0;  // blocks of a cluster, if the kernel states it
  bool writes_unseen = false;                        // global memory, where no check sees it
  bool needs_cluster = false;                        // the kernel or its launch must state a cluster
  std::uint8_t values_of_block = 0;  // special registers that it and what it calls read (run/special.hpp)
  std::uint32_t number = 0;
  // Where its code names the image of the module's variables, which lies elsewhere in each process: numbers of
  // instructions, and offsets in `constants`. Both grow.
  std::vector<std::uint32_t> image_instructions, image_constants;
  std::uint64_t image_address = 0;
  mutable std::atomic<Compiled*> compiled{nullptr};  // what the compiler made of it (compile/compiled.hpp)
};

// A place in decoded code where an address of the module's image stands, relative to its start.
struct Fixup {
  Function* function;
  bool in_constants;    // 32 times 8 bytes there, or an instruction's immediate
  std::uint32_t index;  // byte offset, or number of the instruction
};

struct Undecoded;

struct Module {
  Module();
  ~Module();

  int version = 0;  // 10 * major + minor
  std::string target;
  std::deque<Function> functions;
  std::deque<Variable> variables;  // of the module: global, constant, shared
  std::unordered_map<std::string_view, Function*> function_named;
  std::unordered_map<std::string_view, Variable*> variable_named;
  std::vector<Fixup> fixups;
  std::uint64_t image_bytes = 0;            // of global and constant variables
  std::uint64_t shared_bytes = 0;           // of all shared variables; memory of the launch begins behind
  std::unique_ptr<Undecoded> undecoded;     // of a module that was opened
  std::unique_ptr<ModuleExtents> extents;   // if a sanitizer asked for it (checks.hpp)
  std::shared_ptr<const std::string> text;  // the same

  const Function* entry(std::string_view name) const {
    const auto at = function_named.find(name);
    return at == function_named.end() || !at->second->is_entry ? nullptr : at->second;
  }
};

// Reads and checks a module, or links several that stand one behind the other (parse/link.hpp); throws Error.
std::unique_ptr<Module> load(std::string_view text);
// The same, but bodies of functions are read when decode() asks for them. What is wrong in one is an error then.
std::unique_ptr<Module> open(std::shared_ptr<const std::string> text);

// Reads the body of a function, and of those that it calls, if that is still to be done. Before its code or any number
// that depends on it is looked at. For many threads; throws Error.
void decode(const Module& module, const Function& function);

// Tells the code where the image of the module's variables lies; once, before the first launch. Returns the image.
std::vector<std::byte> place(Module& module, std::uint64_t address);

}  // namespace nvmlkit::ptx
