#include "registry/public_headers.hpp"

#include <algorithm>

namespace nvmlgen {

std::vector<const PublicMember*> PublicClass::find(const std::string& member) const {
  std::vector<const PublicMember*> found;
  for (const auto& m : members)
    if (m.name == member) found.push_back(&m);
  return found;
}

const PublicClass* PublicHeaders::find(const std::string& name) const {
  const auto it = std::find_if(classes.begin(), classes.end(), [&](const PublicClass& c) { return c.name == name; });
  return it == classes.end() ? nullptr : &*it;
}

}  // namespace nvmlgen
