// Every function that reads, as data: its object, its arguments, its results.
#pragma once

#include <cstdint>
#include <span>

namespace nvmlkit::capture {

enum class Form : std::uint8_t { natural, integer, real, text, bytes, structure, handle, pointer };

// What a value in memory is.
struct Shape {
  Form form;
  std::uint32_t size;   // bytes; of text all of it
  std::int32_t layout;  // of structures and of what a pointer points to: index in layouts(), or -1
};

struct Member {
  const char* name;
  Shape shape;  // of one element
  std::uint32_t offset;
  std::uint32_t count;      // elements of an array; 0: no array
  std::int32_t counted_by;  // of pointers: offset of the member that counts the elements, or -1
};

struct Layout {
  const char* name;
  std::uint32_t size;
  std::span<const Member> members;
};

struct Constant {
  const char* name;  // empty: a number of no name
  std::int64_t value;
};

// What an argument is given, one value after the other.
struct Choice {
  enum class Kind : std::uint8_t { numbers, each, below, gpus };
  std::uint8_t argument;
  std::uint32_t offset, size;  // of the struct's member that is meant; size 0: the argument itself
  Kind kind;
  std::span<const Constant> numbers;
  const char* from;  // FUNCTION.output of the answers that hold the values
};

// A version of the struct that the caller says it has.
struct Version {
  std::uint32_t tag;
  std::int32_t layout;
};

enum class Subject : std::uint8_t {
  machine,
  device,  // a GPU or a MIG device
  unit,
  gpu_instance,
  compute_instance,
  vgpu_type,
  vgpu,
};

struct Question {
  std::uint16_t symbol;  // in nvml::symbols()
  Subject subject;
  std::int8_t self;               // the argument that is the subject, or -1
  std::span<const Shape> shapes;  // of what stands behind each argument
  std::span<const Choice> choices;
  std::span<const Version> versions;
};

// A field of nvmlDeviceGetFieldValues.
struct FieldQuestion {
  std::uint32_t id;  // an nvml::FieldId
  const char* name;  // "NVML_FI_DEV_MEMORY_TEMP"
  std::uint32_t scopes;
};

std::span<const FieldQuestion> field_questions();
std::span<const Question> questions();
std::span<const Layout> layouts();

// Where an answer shows a field of the model.
struct Shown {
  const char* question;  // as "nvmlDeviceGetClockInfo(NVML_CLOCK_SM)"
  const char* output;    // as "clock", "info.id"
  const char* field;     // as "gpu.clocks.sm_current"
  std::uint64_t bit;     // it is this bit of the output; 0: all of it
  std::uint64_t divide;  // the output counts in smaller units
  bool answered;         // not an output, but whether there is an answer
};

std::span<const Shown> shown();

}  // namespace nvmlkit::capture
