// Serves the metrics of all GPUs to Prometheus.
//   prometheus_exporter [ADDRESS:PORT]     default 127.0.0.1:9835; port 0 takes a free one, which is printed
#include <prometheus/exposer.h>
#include <pthread.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>

#include "collector.hpp"

int main(int argc, char** argv) {
  // Blocked before the server's threads start, so that a signal is taken by sigwait() below and by nobody else.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);

  auto collector = nvmlkit::nvml::Library::open().and_then(
      [](const nvmlkit::nvml::Library& library) { return Collector::create(library); });
  if (!collector) {
    std::fprintf(stderr, "%s\n", collector.error().message().c_str());
    return 1;
  }
  const auto shared = std::make_shared<Collector>(*std::move(collector));
  try {
    prometheus::Exposer exposer(argc > 1 ? argv[1] : "127.0.0.1:9835");
    exposer.RegisterCollectable(shared);
    for (const int port : exposer.GetListeningPorts()) std::printf("listening on port %d\n", port);
    std::fflush(stdout);
    int signal = 0;
    sigwait(&ends, &signal);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "prometheus_exporter: %s\n", e.what());
    return 1;
  }
  return 0;
}
