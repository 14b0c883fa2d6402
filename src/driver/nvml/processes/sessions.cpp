// Sessions of the encoder and of frame buffer capture, one by one.
#include "driver/nvml/call/read.hpp"
#include "driver/nvml/generated/functions.hpp"

namespace nvmlkit::driver::functions {

nvmlReturn_t DeviceGetEncoderSessions(const Machine&, const Gpu& gpu, unsigned int* sessionCount,
                                      nvmlEncoderSessionInfo_t* sessionInfos) {
  return fill(gpu.encoder_sessions.span(), sessionCount, sessionInfos, [](const auto& session) {
    nvmlEncoderSessionInfo_t out{};
    out.sessionId = session.id.value_or(0);
    out.pid = session.pid.value_or(0);
    out.codecType = static_cast<nvmlEncoderType_t>(session.codec.value_or(NVML_ENCODER_QUERY_H264));
    out.hResolution = session.width.value_or(0);
    out.vResolution = session.height.value_or(0);
    out.averageFps = session.average_fps.value_or(0);
    out.averageLatency = session.average_latency_us.value_or(0);
    return out;
  });
}

nvmlReturn_t DeviceGetFBCSessions(const Machine&, const Gpu& gpu, unsigned int* sessionCount,
                                  nvmlFBCSessionInfo_t* sessionInfo) {
  return fill(gpu.fbc_sessions.span(), sessionCount, sessionInfo, [](const auto& session) {
    nvmlFBCSessionInfo_t out{};
    out.sessionId = session.id.value_or(0);
    out.pid = session.pid.value_or(0);
    out.displayOrdinal = session.display.value_or(0);
    out.sessionType = static_cast<nvmlFBCSessionType_t>(session.type.value_or(NVML_FBC_SESSION_TYPE_TOSYS));
    out.sessionFlags = session.flags.value_or(0);
    out.hMaxResolution = session.max_width.value_or(0);
    out.vMaxResolution = session.max_height.value_or(0);
    out.hResolution = session.width.value_or(0);
    out.vResolution = session.height.value_or(0);
    out.averageFPS = session.average_fps.value_or(0);
    out.averageLatency = session.average_latency_us.value_or(0);
    return out;
  });
}

}  // namespace nvmlkit::driver::functions
