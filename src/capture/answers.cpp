#include "capture/answers.hpp"

#include <charconv>
#include <stdexcept>

namespace nvmlkit::capture {

const Json* Object::answer(const std::string& question) const {
  const auto at = answers.find(question);
  return at == answers.end() ? nullptr : &at->second;
}

const Object& Answers::machine() const {
  for (const auto& object : objects)
    if (object.subject == Subject::machine) return object;
  throw std::logic_error("a machine that was not asked");
}

std::vector<const Object*> Answers::gpus() const {
  std::vector<const Object*> out;
  for (const auto& object : objects)
    if (object.subject == Subject::device && object.parent == Object::kNone) out.push_back(&object);
  return out;
}

std::vector<const Object*> Answers::children(const Object& parent, Subject subject) const {
  const auto index = static_cast<std::size_t>(&parent - objects.data());
  std::vector<const Object*> out;
  for (const auto& object : objects)
    if (object.parent == index && object.subject == subject) out.push_back(&object);
  return out;
}

bool succeeded(const Json* answer) { return answer != nullptr && !answer->contains("error"); }

bool failed(const Json* answer, std::string_view error) {
  return answer != nullptr && answer->contains("error") && answer->at("error") == error;
}

const Json* at(const Json* answer, std::string_view path) {
  while (answer != nullptr && !path.empty()) {
    const auto dot = path.find('.');
    const std::string name(path.substr(0, dot));
    path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
    if (answer->is_array()) {
      std::size_t index = answer->size();
      std::from_chars(name.data(), name.data() + name.size(), index);
      answer = index < answer->size() ? &answer->at(index) : nullptr;
    } else {
      answer = answer->is_object() && answer->contains(name) ? &answer->at(name) : nullptr;
    }
  }
  return answer;
}

Json to_json(const Answers& answers) {
  Json out = Json::object();
  for (const auto& object : answers.objects) {
    Json& shown = out[object.name] = Json::object();
    if (!object.refused.empty()) shown["error"] = object.refused;
    for (const auto& [question, answer] : object.answers) shown[question] = answer;
  }
  return out;
}

}  // namespace nvmlkit::capture
