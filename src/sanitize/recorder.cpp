#include "sanitize/recorder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace nvmlkit::sanitize {

const Options* options() {
  static const Options* const the = []() -> const Options* {
    const char* const text = std::getenv(kVariable);
    if (!text) return nullptr;
    auto* const made = new Options;  // threads may ask until the end of the process
    if (decode(text, *made) && (made->only_process == 0 || made->only_process == static_cast<std::uint64_t>(getpid())))
      return made;
    delete made;
    return nullptr;
  }();
  return the;
}

void record(Finding finding) {
  const auto* const own = options();
  if (!own) return;
  finding.process = static_cast<std::uint64_t>(getpid());
  const auto text = record_of(finding);
  const int file = open(own->path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return;
  // The system writes at once what is appended to a file.
  if (write(file, text.data(), text.size()) < 0) {
  }
  close(file);
}

void record_call_error(std::uint64_t error, const char* name, const char* text) {
  const auto* const own = options();
  if (!own || !own->reports_calls) return;
  const auto stack = HostStack::here();
  std::string caller;
  Finding finding;
  finding.kind = Kind::call_error;
  finding.call = stack.entry(caller);
  if (caller.find("libcudart.so") != caller.npos) return;  // the runtime reports its own
  finding.error = error;
  finding.error_name = name ? name : "";
  finding.text = text ? text : "";
  finding.host = stack.frames();
  record(std::move(finding));
}

}  // namespace nvmlkit::sanitize
