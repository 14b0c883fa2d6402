#include "in_c.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* By squares, so that both sides stay in the cache. */
void c_transpose(const float* in, float* out, int n) {
  for (int y = 0; y < n; y += 32)
    for (int x = 0; x < n; x += 32)
      for (int i = y; i < y + 32; ++i)
        for (int j = x; j < x + 32; ++j) out[j * n + i] = in[i * n + j];
}

void c_row_sums(const float* matrix, const float* vector, float* out, int n) {
  for (int y = 0; y < n; ++y) out[y] = c_dot(matrix + y * n, vector, n);
}

/* Eight sums, so that the compiler may use vectors. */
float c_dot(const float* a, const float* b, int n) {
  float sum[8] = {0}, all = 0;
  for (int i = 0; i < n; i += 8)
    for (int k = 0; k < 8; ++k) sum[k] += a[i + k] * b[i + k];
  for (int k = 0; k < 8; ++k) all += sum[k];
  return all;
}

void c_scan(const unsigned* in, unsigned* out, int n, int segment) {
  for (int begin = 0; begin < n; begin += segment) {
    unsigned sum = 0;
    for (int i = begin; i < begin + segment; ++i) out[i] = sum += in[i];
  }
}

void c_softmax(const float* in, float* out, int rows, int columns) {
  for (int y = 0; y < rows; ++y, in += columns, out += columns) {
    float most = in[0], sum = 0;
    for (int x = 1; x < columns; ++x) most = in[x] > most ? in[x] : most;
    for (int x = 0; x < columns; ++x) sum += out[x] = expf(in[x] - most);
    for (int x = 0; x < columns; ++x) out[x] /= sum;
  }
}

void c_layer_norm(const float* in, float* out, int rows, int columns) {
  for (int y = 0; y < rows; ++y, in += columns, out += columns) {
    float sum = 0, squares = 0;
    for (int x = 0; x < columns; ++x) sum += in[x];
    const float mean = sum / (float)columns;
    for (int x = 0; x < columns; ++x) squares += (in[x] - mean) * (in[x] - mean);
    const float scale = 1.0f / sqrtf(squares / (float)columns + 1e-5f);
    for (int x = 0; x < columns; ++x) out[x] = (in[x] - mean) * scale;
  }
}

void c_gelu(const float* in, float* out, int n) {
  for (int i = 0; i < n; ++i) {
    const float x = in[i];
    out[i] = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
  }
}

void c_lengths(const float* in, float* out, int n) {
  for (int i = 0; i < n; ++i) {
    const float* const v = in + 3 * i;
    out[i] = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  }
}

void c_convolution(const float* in, const float* weights, float* out, int n) {
  for (int y = 2; y < n - 2; ++y)
    for (int x = 2; x < n - 2; ++x) {
      float sum = 0;
      for (int j = 0; j < 5; ++j)
        for (int i = 0; i < 5; ++i) sum += weights[j * 5 + i] * in[(y + j - 2) * n + x + i - 2];
      out[y * n + x] = sum;
    }
}

void c_sparse(const int* begins, const int* columns, const float* values, const float* vector, float* out, int rows) {
  for (int y = 0; y < rows; ++y) {
    float sum = 0;
    for (int i = begins[y]; i < begins[y + 1]; ++i) sum += values[i] * vector[columns[i]];
    out[y] = sum;
  }
}

static int compare(const void* a, const void* b) {
  const unsigned x = *(const unsigned*)a, y = *(const unsigned*)b;
  return (x > y) - (x < y);
}

void c_sort(const unsigned* in, unsigned* out, int n, int segment) {
  memcpy(out, in, (size_t)n * sizeof *out);
  for (int begin = 0; begin < n; begin += segment) qsort(out + begin, (size_t)segment, sizeof *out, compare);
}

void c_insert(const unsigned* keys, int n, unsigned* table, unsigned size) {
  for (int i = 0; i < n; ++i) {
    unsigned place = keys[i] * 2654435761u % size;
    while (table[place] != 0 && table[place] != keys[i]) place = (place + 1) % size;
    table[place] = keys[i];
  }
}

/* The rows of a by the rows of b. */
void c_bytes_product(const signed char* a, const signed char* b, int* c, int n) {
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      int sum = 0;
      for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[x * n + k];
      c[y * n + x] = sum;
    }
}

int c_occurrences(const char* text, int n, const char* word, int length) {
  int count = 0;
  for (int i = 0; i + length <= n; ++i) {
    int k = 0;
    while (k < length && text[i + k] == word[k]) ++k;
    count += k == length;
  }
  return count;
}

void c_mandelbrot(int* steps, int n) {
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      const float a = -2.0f + 3.0f * (float)x / (float)n, b = -1.5f + 3.0f * (float)y / (float)n;
      float u = 0, v = 0;
      int step = 0;
      while (step < 256 && u * u + v * v < 4) {
        const float next = u * u - v * v + a;
        v = 2 * u * v + b;
        u = next;
        ++step;
      }
      steps[y * n + x] = step;
    }
}

void c_collatz(int* steps, int n) {
  for (int i = 0; i < n; ++i) {
    int step = 0;
    for (unsigned long long k = (unsigned long long)i + 1; k != 1; ++step) k = k % 2 ? 3 * k + 1 : k / 2;
    steps[i] = step;
  }
}

void c_life(const unsigned char* in, unsigned char* out, int n) {
  for (int y = 1; y < n - 1; ++y)
    for (int x = 1; x < n - 1; ++x) {
      const unsigned char* at = in + y * n + x;
      const int around = at[-n - 1] + at[-n] + at[-n + 1] + at[-1] + at[1] + at[n - 1] + at[n] + at[n + 1];
      out[y * n + x] = around == 3 || (around == 2 && *at);
    }
}

void c_levels(const int* begins, const int* targets, int* level, int nodes) {
  int* queue = malloc((size_t)nodes * sizeof *queue);
  int first = 0, last = 0;
  for (int i = 0; i < nodes; ++i) level[i] = -1;
  level[0] = 0;
  queue[last++] = 0;
  while (first < last) {
    const int node = queue[first++];
    for (int i = begins[node]; i < begins[node + 1]; ++i)
      if (level[targets[i]] < 0) {
        level[targets[i]] = level[node] + 1;
        queue[last++] = targets[i];
      }
  }
  free(queue);
}

void c_scatter(const int* where, const float* what, int n, float* out) {
  for (int i = 0; i < n; ++i) out[where[i]] += what[i];
}

int c_inside_circle(int points, int rounds) {
  int inside = 0;
  for (int i = 0; i < points; ++i) {
    unsigned state = 2654435761u * (unsigned)(i + 1);
    for (int round = 0; round < rounds; ++round) {
      float at[2];
      for (int k = 0; k < 2; ++k) {
        state ^= state << 13, state ^= state >> 17, state ^= state << 5;
        at[k] = (float)(state >> 8) * (1.0f / 16777216);
      }
      inside += at[0] * at[0] + at[1] * at[1] < 1;
    }
  }
  return inside;
}

__attribute__((noinline)) static float next_of(float x, int k) { return 0.5f * x + (float)(k % 7); }

void c_calls(const float* in, float* out, int n) {
  for (int i = 0; i < n; ++i) {
    float x = in[i];
    for (int k = 0; k < 32; ++k) x = next_of(x, k);
    out[i] = x;
  }
}

void c_jacobi(const double* in, double* out, int n) {
  for (int y = 1; y < n - 1; ++y)
    for (int x = 1; x < n - 1; ++x)
      out[y * n + x] = 0.25 * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

void c_nearest(const float* points, const float* centers, int* nearest, int n, int count) {
  for (int i = 0; i < n; ++i) {
    float least = INFINITY;
    for (int k = 0; k < count; ++k) {
      float distance = 0;
      for (int d = 0; d < 4; ++d) {
        const float off = points[4 * i + d] - centers[4 * k + d];
        distance += off * off;
      }
      if (distance < least) {
        least = distance;
        nearest[i] = k;
      }
    }
  }
}
