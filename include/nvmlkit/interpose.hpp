// Everything that wraps a dispatch table:
//
//   auto log = std::make_shared<interpose::CallLog>(std::cerr);
//   const auto logged = interpose::wrap(loaded.table, log).value();
//   const auto library = Library::from_table(logged.table());
#pragma once

#include <nvmlkit/interpose/call_log.hpp>
#include <nvmlkit/interpose/faults.hpp>
#include <nvmlkit/interpose/hook.hpp>
#include <nvmlkit/interpose/latency.hpp>
#include <nvmlkit/interpose/serialize.hpp>
#include <nvmlkit/interpose/signature.hpp>
#include <nvmlkit/interpose/trace.hpp>
