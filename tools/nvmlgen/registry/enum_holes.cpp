// Where methods and values, and the enums that they should have, do not meet.
#include <set>

#include "registry/error.hpp"
#include "registry/holes.hpp"

namespace nvmlgen {
namespace {

class EnumHoles {
 public:
  EnumHoles(const Facts& facts, const Values& values) : facts_(facts), values_(values) {}

  // `owner` is what users see: a parameter of a method, a member of a value.
  void look_at(const std::string& owner, const std::string& c_type, const std::string& named) {
    if (named == "bool" || c_type == "nvmlEnableState_t" || c_type == "nvmlReturn_t") return;
    const EnumType* type = named.empty() ? values_.enum_of(c_type) : values_.enum_named(named);
    if (type)
      used_.insert(type->name);
    else if (!named.empty())
      text_ += "\n  " + owner + ": there is no " + named;
    else if (facts_.enumeration(c_type))
      text_ += "\n  " + owner + ": " + c_type + " has no scoped enum";
  }

  void look_at(const std::string& owner, const std::vector<ValueField>& fields) {
    for (const auto& f : fields) {
      if (f.hidden) continue;
      look_at(owner + "." + f.name, f.fact->type, f.enumeration);
      look_at(owner + "." + f.name, f.members);
    }
  }

  void refuse() {
    for (const auto& type : values_.enums)
      if (type.by_hand.empty() == !used_.count(type.name))
        text_ += "\n  " + type.name + (type.by_hand.empty() ? ": nothing takes or answers it" : ": needs no by_hand");
    if (!text_.empty()) throw RegistryError("enums.yaml", "enums with a hole:" + text_);
  }

 private:
  const Facts& facts_;
  const Values& values_;
  std::set<std::string> used_;
  std::string text_;
};

}  // namespace

void refuse_enum_holes(const Facts& facts, const Semantics& semantics) {
  EnumHoles holes(facts, semantics.values);
  for (const auto& [name, entry] : semantics.functions) {
    const Function* function = facts.function(name);
    if (!function || !entry.by_hand.empty() || !entry.chained_by.empty() || entry.call == Protocol::manual ||
        entry.call == Protocol::wait)
      continue;
    for (const auto& p : entry.params)
      if (p.role != Role::self) holes.look_at(name + "." + p.name, function->find(p.name)->base, p.enumeration);
  }
  for (const auto& type : semantics.values.types) holes.look_at(type.name, type.fields);
  holes.refuse();
}

}  // namespace nvmlgen
