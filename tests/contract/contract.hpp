// What every exported function promises, as data: rows are generated from the registry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nvmlkit::contract {

enum class Protocol {
  scalar,
  structure,
  string,
  string_inout,
  count_probe,
  count_zero_ok,
  count_known,
  fixed_array,
  struct_array,
  by_index,
  by_key,
  create,
  destroy,
  set,
  action,
  wait,
  manual
};

enum class Answer { read, code, unsupported, later };

struct Argument {
  enum Kind {
    device,            // the GPU that the function is called on
    foreign,           // an object of another class that it is called on
    vgpu_type,         // a vGPU type that it is called on
    vgpu_instance,     // the same, an active vGPU
    other_device,      // a second GPU
    foreign_value,     // a handle of another class beside the object
    enumeration,       // an enum by value
    value,             // anything else by value
    length_value,      // a buffer's length by value
    length_pointer,    // a buffer's length, in and out
    pointer,           // must not be null
    optional_pointer,  // may be null
    versioned,         // a struct with a version that the caller sets
  };
  const char* name;
  Kind kind;
  std::size_t size;  // bytes behind the pointer; 0 = a buffer as long as its length says
  bool is_const;
  int refusal;  // of null or an unknown value; -1: none. Not Supported only on a GPU without what the function needs
};

struct Contract {
  const char* name;
  const char* subject;
  Protocol protocol;
  Answer answer;
  int result;  // what unsupported and later answer
  bool before_init;
  std::vector<Argument> arguments;
  std::vector<std::uint32_t> versions;
  int mismatch;  // the result for another version
  bool needs;    // something that the GPU may lack, before it looks at other arguments
};

const std::vector<Contract>& contracts();

}  // namespace nvmlkit::contract
