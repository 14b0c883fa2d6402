// The arguments of a C function as data, for code that handles calls of any function.
#pragma once

#include <cstdint>
#include <span>

namespace nvmlkit::nvml::interpose {

enum class ArgumentKind : unsigned char {
  value,        // a number or an enum
  handle,       // a GPU, an event set, ...
  text,         // a C string that is read
  input,        // memory that is read
  output,       // memory that is written
  inout,        // memory that is read and written: a struct with a version, a count
  text_out,     // a C string that is written
  array,        // elements that are written
  keyed_array,  // elements that say what is asked for and receive the answer
};

struct Argument {
  const char* name;
  ArgumentKind kind;
  std::uint32_t size;  // bytes behind the pointer; of one element where there is a length
  int length;          // which argument says how many elements; -1 = none
};

// What a call does to the machine.
enum class Effect : unsigned char {
  reads,      // nothing
  looks_up,   // nothing; needs a key
  changes,    // sets, creates, destroys, resets, waits
  lifecycle,  // starts or ends the library
};

enum class Subject : unsigned char {
  none,    // the library or the host
  device,  // a GPU
  other,   // a unit, an instance, a vGPU, a sample, ...
};

struct Signature {
  Effect effect;
  Subject subject;
  bool holds_pointers;    // the memory behind an argument holds pointers to more memory
  int versioned;          // which argument is a struct with a version; -1 = none
  std::uint32_t version;  // the newest value of that version
  std::span<const Argument> arguments;
};

// One per member of Table, in its order.
std::span<const Signature> signatures() noexcept;

}  // namespace nvmlkit::nvml::interpose
