// Calls with their answers, written down and played back: a program that ran on one machine runs again on another.
//
// A trace is text, one JSON object per line. The first line says which symbols the driver lacked:
//   {"nvmlkit_trace":2,"missing":["nvmlSystemGetCPER_v1"]}
//   {"f":"nvmlDeviceGetIndex","in":["0x7f00","p"],"r":0,"out":[null,"03000000"]}
// "in" holds each argument before the call: numbers and handles in hexadecimal, strings with "s:" in front, memory that
// the function reads as bytes with "b:" in front, "p" for memory that it only writes, null for a null pointer. A struct
// has the size that its version names. Bytes that only receive the answer, and pointers, are zero.
// "out" holds the bytes that the call wrote; "r" the code, or the text that nvmlErrorString returned.
// "behind" and "wrote" hold the memory behind pointers inside structs, read and written: "1+16:0a0b" is behind the
// pointer at byte 16 of the struct of argument 1, from 0.
// `nvmlkit trace convert` writes such a trace from the recording of any program.
#pragma once

#include <iosfwd>
#include <memory>
#include <mutex>
#include <nvmlkit/interpose/hook.hpp>
#include <string>
#include <vector>

namespace nvmlkit::nvml::interpose {

// Writes a line per call to a stream, which must outlive it. nvmlDeviceGetNvLinkTelemetrySamples_v1, whose memory is
// too deep to follow, is called and not written down.
class Recorder : public Hook {
 public:
  // `inner`: the table that is going to be wrapped.
  Recorder(const Table& inner, std::ostream& stream);
  Word on_call(const Call& call) noexcept override;

 private:
  std::mutex mutex_;
  std::ostream& stream_;
};

// A table that answers from a trace. An owner, as Wrapped, and takes one of its places.
// The n-th call with the same function and the same inputs gets the n-th recorded answer; after the last one, that one
// again. A call that the trace does not have answers NVML_ERROR_UNKNOWN and is counted.
class Replay {
 public:
  // Reads also version 1, which had whole structs and nothing behind their pointers.
  // Errc::invalid_argument with the number of the line that cannot be read; Errc::insufficient_resources as wrap().
  static Result<Replay> from_stream(std::istream& stream);
  // Errc::not_found when there is no such file.
  static Result<Replay> from_file(const std::string& path);

  // Symbols that the recorded driver lacked, or whose calls are not written down, are null.
  const Table& table() const noexcept { return wrapped_.table(); }
  // Calls that the trace did not have, as text: "nvmlDeviceGetName [\"0x7f00\",\"p\",\"0x60\"]".
  std::vector<std::string> unmatched() const;

 private:
  class Answers;
  Replay(std::shared_ptr<Answers> answers, Wrapped wrapped)
      : answers_(std::move(answers)), wrapped_(std::move(wrapped)) {}
  std::shared_ptr<Answers> answers_;
  Wrapped wrapped_;
};

}  // namespace nvmlkit::nvml::interpose
