// The meaning of every function, typed. Read from registry/semantics/*.yaml, which people write.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "registry/facts.hpp"
#include "registry/value_types.hpp"

namespace nvmlgen {

// How one function is called. The set is closed: a protocol is added together with its wrapper and its contract test.
enum class Protocol {
  scalar,         // one or more scalars, enums or handles out
  structure,      // a struct out (or in and out, with a version field)
  string,         // char buffer and its length by value
  string_inout,   // char buffer and a pointer to its length
  count_probe,    // count in and out with an array; a count too small answers INSUFFICIENT_SIZE and the count needed
  count_zero_ok,  // the same, but count 0 answers SUCCESS with the count
  count_known,    // array out and a count that is only written; the capacity comes from another call
  fixed_array,    // array and its size by value, always filled
  struct_array,   // a struct that holds a count and a pointer to the caller's array
  by_index,       // index in, handle out
  by_key,         // string, struct or id in, handle out
  create,         // handle out that the caller owns
  destroy,        // an owned handle ends
  set,            // a setter: scalars or a struct in
  action,         // a command, with or without selectors
  wait,           // waits for an event
  manual          // irregular; written by hand, with a reason
};

enum class Role {
  self,    // the object that the function is called on
  in,      // read
  out,     // written
  inout,   // read and written
  array,   // buffer that the function fills; `length` says how long it is
  length,  // length of a buffer, by value or in and out
};

struct ParamSemantics {
  std::string name;
  Role role = Role::in;
  std::string length;       // of an array: the parameter that holds its length
  std::string unit;         // of a scalar: mW, MHz, C, B, ...
  std::string absent;       // constant or number that stands for "not available"
  std::string enumeration;  // of an integer: "bool", or the type of values/enums.yaml that its numbers stand for
  std::string also;         // of an enum: a number that drivers take and the header does not name as a value
  std::string capacity;     // constant that says how long a buffer must be at most
  std::string unknown;      // of an enum: the result for other values, or "accepted"; empty: Invalid Argument
  std::string missing;      // of a buffer that may be null: the result if it is null and its length is not 0
  bool optional = false;    // may be null
  std::size_t size = 0;     // bytes that the entry point touches, where its layout is older than the header's
};

// Where the simulated driver takes its answer from.
enum class Answer {
  read,         // generated: reads model fields
  code,         // plain C++ in src/driver/nvml/ does it
  unsupported,  // no GPU that the simulation knows has it, with the reason: the honest answer is an error
  later,        // not simulated yet
};

struct Simulation {
  Answer answer = Answer::later;
  std::map<std::string, std::string> read;  // out parameter, or parameter.field -> model path
  std::vector<std::string> reads;           // Answer::code: model fields
  std::vector<std::string> writes;          // Answer::code: model fields
  // Answer::code: a C++ function that several entries share, and an enumerator of the simulation that selects one.
  // It answers for the GPU and for its MIG devices.
  std::string by;
  std::string with;
  std::string reason;  // unsupported: why; later: the subject that it arrives with
  std::string result;  // unsupported, later: the return code
};

struct FunctionSemantics {
  std::string name;
  std::string file;  // registry/semantics/<file>.yaml: the subject
  std::string on;    // class of the bindings: Library, Device, Unit, GpuInstance, ...
  std::string as;    // its method
  std::string doc;   // one sentence, ours
  // What of its declaration is not sure. Such a function has no method: Library::call and the table reach it.
  std::string provisional;
  Protocol call = Protocol::manual;
  std::string why;                     // manual: the reason
  std::vector<ParamSemantics> params;  // in the order of the declaration
  std::vector<std::string> chain;      // of the newest member of a family: all versions, newest first
  std::string chained_by;              // of the others: the newest member
  std::vector<std::string> versions;   // version macros of the versioned struct, newest first
  std::vector<std::string> success;    // return codes beside NVML_SUCCESS that are an answer, not an error
  bool root = false;                   // needs root
  std::string restricted_by;           // model path: needs root while this is enabled; `root` counts where it is absent
  bool before_init = false;            // answers before nvmlInit: checks its arguments itself
  std::string on_mig;                  // on a MIG device: "code", "gpu" (what its GPU answers) or a return code
  std::string in_mig_mode;             // on a GPU in MIG mode: a return code
  // Not Supported without it: a model path of the GPU, "vgpu_host" or "nvlinks". It is looked at before the other
  // arguments; these pointers alone are checked first.
  std::string needs;
  std::vector<std::string> needs_after;
  std::string mismatch;  // the result for an unknown struct version; empty: Argument Version Mismatch
  std::string since;     // architecture that it needs: "kepler", "hopper", ...; empty = any
  // Of the newest version: parameters or members of its struct that the older ones lack, and the constant that these
  // act on.
  std::map<std::string, std::string> older_means;
  // "Device::samples" where the method is written by hand.
  std::string by_hand;
  Simulation sim;

  const ParamSemantics* find(const std::string& param) const;
  const ParamSemantics* self() const;
  bool sets() const { return sim.answer == Answer::code && !sim.writes.empty(); }  // changes the machine
  bool commands() const { return call == Protocol::set || call == Protocol::action || sets(); }
};

struct Semantics {
  std::map<std::string, FunctionSemantics> functions;
  std::vector<std::string> files;  // subjects, in alphabetical order
  Values values;
};

// Throws RegistryError naming file:line for anything it does not know, and for every hole: a function of the facts
// without an entry, an entry without a function, a parameter without a role, a chain that is not its family.
Semantics load_semantics(const std::filesystem::path& directory, const Facts& facts);

const char* to_string(Protocol);
const char* to_string(Answer);

}  // namespace nvmlgen
