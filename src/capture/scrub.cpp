#include "capture/scrub.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace nvmlkit::capture {
namespace {

// Members that identify, whatever function writes them.
bool names_one(std::string_view member) {
  static constexpr std::string_view kAll[] = {
      "uuid", "serial", "chassisSerialNumber", "clusterUuid", "ibGuid", "rackGuid", "vmId", "mdevUuid", "hostname"};
  return std::find(std::begin(kAll), std::end(kAll), member) != std::end(kAll);
}

constexpr std::string_view kUuidForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

// Where the UUID of "GPU-xxxxxxxx-..." begins; npos in other texts.
std::size_t uuid_in(std::string_view text) {
  if (text.size() < kUuidForm.size()) return std::string_view::npos;
  const auto start = text.size() - kUuidForm.size();
  for (std::size_t i = 0; i < kUuidForm.size(); ++i)
    if ((kUuidForm[i] == '-') != (text[start + i] == '-')) return std::string_view::npos;
  return start;
}

class Scrubber {
 public:
  void scrub_all(Answers& answers) {
    for (const auto& object : answers.objects)
      for (const auto& [question, answer] : object.answers) find(answer, {});
    for (auto& object : answers.objects) {
      std::map<std::string, Json> scrubbed;
      for (auto& [question, answer] : object.answers) {
        if (question == "nvmlDeviceGetPdi" && succeeded(&answer)) scrub_number(answer["pdi"]["value"]);
        if (question == "nvmlDeviceGetHostname_v1") hide_host(answer);
        replace(answer);
        scrubbed.emplace(replaced(question), std::move(answer));
      }
      object.answers = std::move(scrubbed);
    }
  }

 private:
  void find(const Json& value, std::string_view member) {
    if (value.is_string() && names_one(member)) learn(value.get<std::string>(), member == "chassisSerialNumber");
    if (value.is_object())
      for (const auto& [name, inner] : value.items()) find(inner, name);
    if (value.is_array())
      for (const auto& inner : value) find(inner, member);
  }

  // `bytes`: the characters stand there as hexadecimal digits.
  void learn(const std::string& text, bool bytes) {
    const bool nothing = text.find_first_not_of("0-") == std::string::npos;  // masked already, or none
    if (nothing || texts_.contains(text)) return;
    const auto start = uuid_in(text);
    if (start != std::string::npos)
      texts_[text] = fmt::format("{}00000000-0000-0000-0000-{:012x}", text.substr(0, start), ++uuids_);
    else if (bytes)
      texts_[text] = characters(fmt::format("{:0{}}", ++others_, (text.find_last_not_of('0') + 2) / 2), text.size());
    else
      texts_[text] = fmt::format("{:0{}}", ++others_, text.size());
  }

  static std::string characters(const std::string& text, std::size_t size) {
    std::string out;
    for (const unsigned char c : text) out += fmt::format("{:02x}", c);
    out.resize(size, '0');
    return out;
  }

  void replace(Json& value) {
    if (value.is_string()) value = replaced(value.get<std::string>());
    if (value.is_structured())
      for (auto& inner : value) replace(inner);
  }

  std::string replaced(std::string text) const {
    const auto whole = texts_.find(text);
    if (whole != texts_.end()) return whole->second;
    // Questions contain them as arguments, and data without a description may contain them anywhere.
    constexpr std::size_t kShortest = 8;
    for (const auto& [original, replacement] : texts_)
      for (auto at = text.find(original); original.size() >= kShortest && at != std::string::npos;
           at = text.find(original, at + replacement.size()))
        text.replace(at, original.size(), replacement);
    return text;
  }

  static void hide_host(Json& answer) {
    if (const auto* name = at(&answer, "hostname.value"); name != nullptr && *name != "")
      answer["hostname"]["value"] = "host";
  }

  void scrub_number(Json& number) {
    const auto [at, fresh] = numbers_.try_emplace(number.get<std::uint64_t>(), numbers_.size() + 1);
    number = at->second;
  }

  std::map<std::string, std::string> texts_;
  std::map<std::uint64_t, std::uint64_t> numbers_;
  std::uint64_t uuids_ = 0, others_ = 0;
};

}  // namespace

void scrub(Answers& answers) { Scrubber().scrub_all(answers); }

}  // namespace nvmlkit::capture
