// Environment variables: those of the process, or those of a test.
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

  // From now on the variable is this, in this object alone.
  void set(const std::string& name, const std::string& value) { changed_[name] = value; }

  // Nothing for a variable that is unset or empty.
  std::optional<std::string> get(const char* name) const {
    auto value = get_even_if_empty(name);
    if (value && value->empty()) value.reset();
    return value;
  }

  // Nothing for a variable that is unset.
  std::optional<std::string> get_even_if_empty(const char* name) const {
    if (const auto it = changed_.find(name); it != changed_.end()) return it->second;
    if (!variables_) {
      const char* text = std::getenv(name);
      return text ? std::optional<std::string>(text) : std::nullopt;
    }
    const auto at = variables_->find(name);
    return at != variables_->end() ? std::optional<std::string>(at->second) : std::nullopt;
  }

 private:
  struct Process {};
  explicit Environment(Process) {}

  std::optional<std::map<std::string, std::string>> variables_;
  std::map<std::string, std::string> changed_;
};

}  // namespace nvmlkit::sim
