// Environment variables, the process's own or a test's.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace nvmlkit::sim {

class Environment {
 public:
  // The variables of this process, looked up when asked for.
  static Environment process() { return Environment(Process{}); }

  Environment() : Environment(std::initializer_list<std::pair<const std::string, std::string>>{}) {}
  Environment(std::initializer_list<std::pair<const std::string, std::string>> variables) : variables_(variables) {}

  // Nothing for a variable that is unset or empty.
  std::optional<std::string> get(const char* name) const {
    std::optional<std::string> value;
    if (!variables_) {
      if (const char* text = std::getenv(name)) value = text;
    } else if (const auto it = variables_->find(name); it != variables_->end()) {
      value = it->second;
    }
    if (value && value->empty()) value.reset();
    return value;
  }

 private:
  struct Process {};
  explicit Environment(Process) {}

  std::optional<std::map<std::string, std::string>> variables_;
};

}  // namespace nvmlkit::sim
