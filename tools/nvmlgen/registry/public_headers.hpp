// The declarations of the hand-written public headers, for the reference. Read by import/public_headers.cpp.
#pragma once

#include <string>
#include <vector>

namespace nvmlgen {

// A method, a nested type or a free function, with the comment in front of it.
struct PublicMember {
  std::string name;
  std::string declaration;
  std::string doc;                       // without the names of C functions
  std::vector<std::string> c_functions;  // what @c names
};

struct PublicClass {
  std::string name;
  std::string header;  // "device.hpp"
  std::string doc;
  std::vector<PublicMember> members;
  std::vector<std::string> used;  // names that using-declarations take over from the generated base

  std::vector<const PublicMember*> find(const std::string& member) const;
};

struct PublicHeaders {
  std::vector<PublicClass> classes;
  std::vector<PublicMember> types;  // plain structs and enums: the declaration is all of it
  std::vector<PublicMember> functions;

  const PublicClass* find(const std::string& name) const;
};

}  // namespace nvmlgen
