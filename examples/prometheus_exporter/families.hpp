// Building metric families: one per name, with samples of several GPUs.
#pragma once

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>
#include <prometheus/metric_type.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

using Labels = std::vector<std::pair<std::string, std::string>>;

class Families {
 public:
  void gauge(const std::string& name, const std::string& help, Labels labels, double value) {
    prometheus::ClientMetric metric;
    metric.gauge.value = value;
    add(name, help, prometheus::MetricType::Gauge, std::move(labels), std::move(metric));
  }
  void counter(const std::string& name, const std::string& help, Labels labels, double value) {
    prometheus::ClientMetric metric;
    metric.counter.value = value;
    add(name, help, prometheus::MetricType::Counter, std::move(labels), std::move(metric));
  }
  std::vector<prometheus::MetricFamily> take() {
    std::vector<prometheus::MetricFamily> all;
    for (auto& [name, family] : families_) all.push_back(std::move(family));
    return all;
  }

 private:
  void add(const std::string& name, const std::string& help, prometheus::MetricType type, Labels labels,
           prometheus::ClientMetric metric) {
    prometheus::MetricFamily& family = families_[name];
    family.name = name;
    if (family.help.empty()) family.help = help;
    family.type = type;
    for (auto& [key, text] : labels) metric.label.push_back({std::move(key), std::move(text)});
    family.metric.push_back(std::move(metric));
  }

  std::map<std::string, prometheus::MetricFamily> families_;
};
