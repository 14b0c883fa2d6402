#include "in_c.h"

#include <math.h>
#include <string.h>

void c_vector_add(const float* a, const float* b, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = a[i] + b[i];
}

/* Rows of b are read one after the other, as the CPU likes it. */
void c_sgemm(const float* a, const float* b, float* c, int n) {
  memset(c, 0, sizeof *c * (size_t)n * (size_t)n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void c_dgemm(const double* a, const double* b, double* c, int n) {
  memset(c, 0, sizeof *c * (size_t)n * (size_t)n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void c_stencil(const float* in, float* out, int n) {
  for (int y = 1; y < n - 1; ++y)
    for (int x = 1; x < n - 1; ++x)
      out[y * n + x] =
          0.2f * (in[y * n + x] + in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

void c_histogram(const unsigned char* in, unsigned* bins, int n) {
  for (int i = 0; i < n; ++i) ++bins[in[i]];
}

void c_bodies(const float* x, const float* y, const float* z, float* pull, int n) {
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < n; ++j) {
      const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      const float d = dx * dx + dy * dy + dz * dz + 0.01f;
      const float inverse = 1.0f / sqrtf(d);
      sum += dx * inverse * inverse * inverse;
    }
    pull[i] = sum;
  }
}

static float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float tail =
      0.39894228f * expf(-0.5f * d * d) *
      (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - tail : tail;
}

void c_black_scholes(const float* price, const float* strike, const float* years, float* call, int n) {
  const float rate = 0.02f, volatility = 0.30f;
  for (int i = 0; i < n; ++i) {
    const float root = sqrtf(years[i]);
    const float d1 =
        (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
    const float d2 = d1 - volatility * root;
    call[i] = price[i] * normal(d1) - strike[i] * expf(-rate * years[i]) * normal(d2);
  }
}

float c_sum(const float* in, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i];
  return sum;
}

static int inside(int at, int n) { return at < 0 ? 0 : at >= n ? n - 1 : at; }

/* The element at each point; a picture turned by some degrees. */
void c_points(const float* in, float* out, int n) {
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      const float u = 0.96f * (float)x - 0.28f * (float)y + 0.5f, v = 0.28f * (float)x + 0.96f * (float)y + 0.5f;
      out[y * n + x] = in[inside((int)floorf(v), n) * n + inside((int)floorf(u), n)];
    }
}

/* The same between the elements, with weights of 8 bits as a GPU has them. */
void c_linear(const float* in, float* out, int n) {
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      const float u = 0.96f * (float)x - 0.28f * (float)y, v = 0.28f * (float)x + 0.96f * (float)y;
      const float left = floorf(u), above = floorf(v);
      const float a = floorf((u - left) * 256 + 0.5f) / 256, b = floorf((v - above) * 256 + 0.5f) / 256;
      const int i = inside((int)left, n), j = inside((int)above, n);
      const int k = inside((int)left + 1, n), l = inside((int)above + 1, n);
      out[y * n + x] =
          (1 - b) * ((1 - a) * in[j * n + i] + a * in[j * n + k]) + b * ((1 - a) * in[l * n + i] + a * in[l * n + k]);
    }
}

void c_sines(const double* a, const double* b, double* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = sin(a[i] / b[i]);
}
