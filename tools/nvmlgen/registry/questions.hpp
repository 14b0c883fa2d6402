// The questions of `nvmlkit capture`, typed. Read from registry/semantics/values/questions.yaml.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "registry/model.hpp"
#include "registry/semantics.hpp"

namespace nvmlgen {

// What an argument is given, one value after the other.
struct Choice {
  enum class Kind { numbers, each, below, gpus };

  std::string argument;  // or argument.member
  Kind kind = Kind::numbers;
  std::vector<std::pair<std::string, std::int64_t>> numbers;  // with the constant's name, or an empty one
  std::string from;                                           // each, below: FUNCTION.output
};

// Where an answer shows a field of the model, see shown.yaml.
struct ShownField {
  std::string question;  // "nvmlDeviceGetClockInfo(NVML_CLOCK_SM)"
  std::string output;    // "clock", "info.id"; "result" for `answered`
  std::string field;     // "gpu.clocks.sm_current"
  std::uint64_t bit = 0;
  std::uint64_t divide = 1;
  bool answered = false;
};

struct Questions {
  std::map<std::string, std::vector<Choice>> ask;  // by function
  std::map<std::string, std::string> skip;         // function -> why

  // Functions that are asked, with a choice for each argument that wants one, in the order of the parameters.
  std::map<std::string, std::vector<Choice>> all;
};

// Throws RegistryError naming file:line for a function, an argument or a constant that there is none of, and for a
// function that reads but whose argument nobody chooses.
Questions load_questions(const std::filesystem::path& file, const Facts& facts, const Semantics& semantics);

// What people wrote, without what `sim: read` and field ids say. Throws RegistryError naming file:line for a function,
// an output, a constant or a field that there is none of.
std::vector<ShownField> load_shown(const std::filesystem::path& file, const Facts& facts, const Model& model);

// What a call does to the machine: "reads", "looks_up", "changes" or "lifecycle".
const char* effect_of(const Function& function, const FunctionSemantics& entry);

}  // namespace nvmlgen
