// Numbers for people: nice steps, ticks, and as many digits as say something.

/** The nearest of 1, 2, 5 times a power of ten that is not smaller. */
export function niceStep(rough: number): number {
  if (!(rough > 0) || !Number.isFinite(rough)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const part = rough / power;
  return (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10) * power;
}

/** The nearest of 1, 2, 5 times a power of ten. */
function nearStep(rough: number): number {
  if (!(rough > 0) || !Number.isFinite(rough)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const part = rough / power;
  return (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10) * power;
}

export interface Ticks {
  values: number[];
  labels: string[];
}

/** About `count` round numbers from low to high, all with the same digits; two at least, since one alone is no scale. */
export function ticks(low: number, high: number, count: number): Ticks {
  const found = ticksOf(low, high, nearStep((high - low) / Math.max(count, 1)));
  return found.values.length >= 2 || !(high > low) ? found : ticksOf(low, high, niceStep((high - low) / 4));
}

function ticksOf(low: number, high: number, step: number): Ticks {
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  const values: number[] = [];
  for (let i = first; i <= last && values.length < 50; i++) values.push(i * step);
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const labels = values.map((value) => tickLabel(value, step, largest));
  return { values, labels };
}

function tickLabel(value: number, step: number, largest: number): string {
  if (Math.abs(value) < step / 1e6) return "0";
  if (largest >= 1e5 || largest < 1e-3) {
    const digits = Math.max(0, Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(step)));
    return power(value.toExponential(Math.min(digits, 8)));
  }
  const decimals = Math.min(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), 12);
  return minus(value.toFixed(decimals));
}

/** A number with some significant digits, without zeros that say nothing. */
export function shown(value: number, digits = 5): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return power(value.toExponential(digits - 1).replace(/\.?0+e/, "e"));
  return minus(String(Number(value.toPrecision(digits))));
}

/** The same for a number field, which wants plain characters, and has room for few. */
export function typed(value: number): string {
  const plain = String(Number(value.toPrecision(9)));
  const short = Number(plain).toExponential().replace("e+", "e");
  return plain.length > 6 && short.length < plain.length ? short : plain;
}

/** What stands in a select, or a number as it stands in a field. */
export function inField(value: string | number): string {
  return typeof value === "number" ? typed(value) : value;
}

function power(text: string): string {
  const [mantissa = "", exponent = "0"] = text.split("e");
  const raised = [...String(Number(exponent))].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)])).join("");
  return `${minus(mantissa)}·10${raised}`;
}

function minus(text: string): string {
  return text.replace("-", "−");
}

/** The smallest and the largest of finite numbers. */
export function span(values: ArrayLike<number>, low = Infinity, high = -Infinity): [number, number] {
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/** A time of a motion that lasts so long: as many digits at every moment, so that it does not jump while it runs. */
export function clock(time: number, length: number): string {
  const decimals = 3 - Math.floor(Math.log10(length));
  if (!Number.isFinite(decimals)) return shown(time, 4);
  if (decimals > 8 || length >= 1e7) return time === 0 ? "0" : power(time.toExponential(3));
  return minus(time.toFixed(Math.max(decimals, 0)));
}

/** A range with some air around it; never empty, nor so small that it shows only the errors of what is computed. */
export function padded([low, high]: [number, number], share = 0.06): [number, number] {
  if (!(low <= high)) return [-1, 1];
  const size = high - low;
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const air = size > 1e-7 * largest ? share * size : share * (largest || 1);
  return [low - air, high + air];
}
