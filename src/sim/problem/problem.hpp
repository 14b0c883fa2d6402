// What is wrong, as a value: whose field, where in a file, what was expected, which name was meant. Code decides by
// these; the text is made at the edge, where people read it (text.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/prose.hpp"
#include "nvmlkit/detail/expected.hpp"

namespace nvmlkit::sim {

enum class ProblemKind : std::uint8_t {
  syntax,         // a text that is not of its form
  unknown_name,   // no key, word, machine, function or GPU has the name
  duplicate,      // a key, an index, a UUID or an address for the second time
  missing,        // a key, a value or a word that has to be there
  wrong_value,    // not of the type or in the range of its field
  contradiction,  // right on its own, wrong beside the rest of the machine
  impossible,     // the GPU or the machine cannot do it in its present state
  unusable_file,  // a file that cannot be read, written or mapped, or is of another kind
  read_only,      // the machine may only be read
  busy,           // a writer of the machine is stopped
  out_of_memory,
};

// Where in which file. Messages call it FILE, FILE:LINE or FILE:LINE:COLUMN.
struct Place {
  std::string file;          // empty: in no file
  std::uint32_t line = 0;    // from 1; 0: the file as a whole
  std::uint32_t column = 0;  // from 1; 0: the line as a whole
  std::string named_by{};    // the variable or the option that names it

  std::string text() const;
};

// Whose field a problem is about.
struct Owner {
  enum class Kind : std::uint8_t {
    machine,
    all_gpus,  // device_defaults
    gpu,
    entry,  // the GPU of an entry of `devices`
  };
  Kind kind = Kind::machine;
  std::uint32_t gpu = 0;    // index of the GPU, for gpu and entry
  std::uint32_t entry = 0;  // position in `devices`, for entry

  // Is it, or is it among others, the GPU of this index?
  bool has_gpu(std::size_t index) const;
};

// Where the message names the field.
enum class Naming : std::uint8_t {
  before,  // power.limit_mw: expected ...
  after,   // unknown key 'x' in power
  no,      // the words do so themselves
};

// One step into a list: [2], or [2].compute_instances.
struct Part {
  std::uint32_t item = 0;
  std::string key{};  // below the item; empty: the item itself
};

struct Problem {
  ProblemKind kind = ProblemKind::wrong_value;
  Prose what{};           // "unknown key 'powr'"; empty where `expected` says it all
  Prose expected{};       // "a whole number"
  Prose given{};          // what came instead
  std::string nearest{};  // the valid name that is most like the given one; empty: none is similar
  Prose hint{};           // what helps beside it
  Owner owner{};
  std::string field{};       // path of the owner's field, as power.limit_mw or mig.instances; empty: the owner itself
  std::vector<Part> part{};  // of a list the part that it is about
  Naming naming = Naming::before;
  Place place{};

  // The same problem of a GPU, of a field, of an item of a list, at a place.
  Problem of_gpu(std::uint32_t gpu) &&;
  Problem of_field(std::string_view path) &&;
  Problem of_item(std::string_view list, std::uint32_t item) &&;
  Problem at(Place where) &&;
};

template <class T>
using Expected = detail::expected<T, Problem>;

inline detail::unexpected<Problem> fail(Problem problem) { return detail::unexpected<Problem>(std::move(problem)); }

Problem wrong_value(Prose expected, Prose given = {});
Problem missing(Prose expected);
Problem contradiction(Prose what);
Problem contradiction(Prose expected, Prose given);
Problem impossible(Prose what);

// "unknown WHAT 'given'", with the nearest of the known names, or all of them when none is similar.
Problem unknown_name(std::string_view what, std::string_view given, std::span<const std::string_view> known);

// A word where none is expected.
Problem unexpected_word(std::string_view word);

// A file that cannot be used: `why` follows its name.
Problem unusable_file(std::string file, Prose why);

}  // namespace nvmlkit::sim
