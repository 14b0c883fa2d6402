// Numbers and lists as people read them.

export const dash = "–";

export function number(value, digits = 0) {
  return value === null || value === undefined || Number.isNaN(value) ? dash : value.toFixed(digits);
}

// With a unit, or a dash where there is no number.
export function quantity(value, unit) {
  const text = number(value);
  return text === dash ? dash : `${text} ${unit}`;
}

export function gibibytes(mebibytes) {
  if (mebibytes === null || mebibytes === undefined || Number.isNaN(mebibytes)) return dash;
  return mebibytes < 1024 ? `${Math.round(mebibytes)} MiB` : `${(mebibytes / 1024).toFixed(1)} GiB`;
}

export function rate(megabytes) {
  if (megabytes === null || megabytes === undefined || Number.isNaN(megabytes)) return dash;
  return megabytes < 1000 ? `${Math.round(megabytes)} MB/s` : `${(megabytes / 1000).toFixed(megabytes < 1e5 ? 1 : 0)} GB/s`;
}

// 0, 1, 2, 5 as "0-2, 5".
export function ranges(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const parts = [];
  for (let i = 0; i < sorted.length; ++i) {
    const first = sorted[i];
    while (sorted[i + 1] === sorted[i] + 1) ++i;
    parts.push(first === sorted[i] ? `${first}` : `${first}-${sorted[i]}`);
  }
  return parts.join(", ");
}

// Seconds as 90s, 5m or 1h30m, which scenario files take, too.
export function duration(seconds) {
  const whole = Math.round(seconds * 10) / 10;
  if (whole < 120 || whole % 1 !== 0) return `${whole}s`;
  const parts = [[Math.floor(whole / 3600), "h"], [Math.floor(whole / 60) % 60, "m"], [whole % 60, "s"]];
  return parts.filter(([count]) => count > 0).map(([count, unit]) => count + unit).join("");
}

export const clock = (ms) => new Date(ms).toLocaleTimeString([], { hour12: false });
