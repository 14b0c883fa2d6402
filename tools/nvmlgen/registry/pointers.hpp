// Memory that recordings of calls follow: pointers inside structs, and the arguments of private functions. Read from
// registry/semantics/values/pointers.yaml and private_slots.yaml.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "registry/facts.hpp"

namespace nvmlgen {

// A pointer inside a struct.
struct PointerField {
  std::string kind;        // array, text_in, text_out
  std::size_t offset = 0;  // of the pointer; in the first element where there are several
  std::size_t size = 1;    // bytes of an element behind it
  std::size_t asks = 0;    // first bytes of each element that are read
  long count = -1;         // offset of the member with the number of elements
  std::size_t stride = 0;  // between the elements that hold such a pointer
  long each = -1;          // offset of the member with their number
};

// Where what a function reads of a struct ends: at an array with a number of elements, or where the answer begins.
struct Elements {
  std::size_t offset = 0, stride = 0, asks = 0;
  long number = -1;  // offset of the number of elements; -1: no array, and all behind is the answer
};

struct FollowedStruct {
  std::string name;
  std::string unfollowed;  // the reason
  std::vector<PointerField> pointers;
  Elements elements;  // offset 0: the whole struct is read
};

struct SlotArgument {
  std::string name, kind;
  std::size_t size = 0;
  int length = -1;  // which argument has the number of elements
};

struct PrivateSlot {
  unsigned number = 0;
  std::vector<SlotArgument> arguments;
};

struct PrivateTable {
  std::string name;
  std::vector<unsigned> id;  // 16 bytes
  std::vector<PrivateSlot> slots;
};

// Throw RegistryError; load_followed also where a struct of a parameter holds a pointer and has no entry.
std::vector<FollowedStruct> load_followed(const std::filesystem::path& file, const Facts& facts);
std::vector<PrivateTable> load_private_tables(const std::filesystem::path& file);

// Does a struct with these members hold a pointer that is no handle?
bool holds_pointers(const Facts& facts, const std::vector<Field>& fields);

}  // namespace nvmlgen
