// The body of a generated method: one C function, called by its protocol.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "emit/bindings/versions.hpp"
#include "registry/facts.hpp"
#include "registry/semantics.hpp"

namespace nvmlgen {

// Writes the versions of one method, newest first: the first one says what the method takes and answers.
class BodyWriter {
 public:
  BodyWriter(const Facts& facts, const Values& values, const FunctionSemantics& newest)
      : facts_(facts), values_(values), newest_(newest) {}

  // A version that fills another struct converts it to the one that the method answers with.
  std::string body(const MethodVersion& v, const std::string& indent);
  std::string answer;
  std::string nested;
  std::vector<std::string> nested_fields;
  std::string parameters;
  std::string arguments;

 private:
  struct Call {
    std::string locals;
    std::string arguments;
    std::vector<std::pair<std::string, std::string>> outs;  // {type, expression}
    std::vector<std::string> out_names;
  };

  std::string element(const MethodVersion& v, const Param& p) const {
    const auto it = v.structs.find(p.name);
    return it == v.structs.end() ? canonical(facts_, p.base) : it->second;
  }
  void parameter(const std::string& type, const std::string& name, const std::string& value = "") {
    if (!collecting_) return;
    const std::string comma = parameters.empty() ? "" : ", ";
    parameters += comma + type + ' ' + name + value;
    arguments += comma + type + ' ' + name;
    parameter_types_[name] = type;
  }
  void input(const MethodVersion& v, const Param& p, const ParamSemantics& s, const std::string& indent, Call& call);
  void output(const MethodVersion& v, const Param& p, const ParamSemantics& s, const std::string& indent, Call& call);
  Call plan(const MethodVersion& v, const std::string& indent);
  std::string plain(const MethodVersion& v, const std::string& indent);
  std::string string(const MethodVersion& v, const std::string& indent);
  std::string list(const MethodVersion& v, const std::string& indent);
  std::string listing(const MethodVersion& v, const std::string& indent);
  std::string unless_it_cannot(const MethodVersion& v, const std::string& indent) const;
  std::string version_line(const std::string& type, const std::string& name, const std::string& indent) const;
  std::string success_test(const MethodVersion& v) const;
  const ValueType& value_type(const MethodVersion& v, const std::string& structure) const;
  std::string keys(const std::string& type, const std::string& name, const std::string& indent);

  const Facts& facts_;
  const Values& values_;
  const FunctionSemantics& newest_;
  std::map<std::string, std::string> parameter_types_;
  bool collecting_ = true;  // only the newest version defines the method's own parameters
};

// "&Table::DeviceGetName".
std::string table_member(const MethodVersion& version);

// The type of a parameter with a unit. Throws RegistryError when the bindings have none for it.
std::string quantity_type(const FunctionSemantics& function, const ParamSemantics& param);

// The class that a native handle becomes; empty for everything else.
std::string class_of(const std::string& native);

}  // namespace nvmlgen
