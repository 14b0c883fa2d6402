#include "cli/model_json.hpp"

#include <fmt/format.h>

#include "cli/command_error.hpp"
#include "serve/machine/fields.hpp"

namespace nvmlkit::cli {

Json value_at(const sim::model::Gpu& gpu, const std::string& path) { return value_of(serve::fields_of(gpu, path)); }

std::string text_of(const Json& value) {
  if (value.is_null()) return "N/A";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void print(const std::string& prefix, const std::string& path, const Json& value) {
  if (!value.is_object()) {
    fmt::print("{}{}={}\n", prefix, path, text_of(value));
    return;
  }
  for (const auto& [name, part] : value.items()) print(prefix, path.empty() ? name : path + "." + name, part);
}

}  // namespace nvmlkit::cli
