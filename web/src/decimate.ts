// Fewer points for a plot that cannot show them all: of each column of pixels the least and the greatest value
// of every channel, in the order in which they come, so that no peak is lost.

export type Column = ArrayLike<number | null>;

/** Indices [from, to) that cover low to high and a record to either side. */
export function cover(time: Float64Array, low: number, high: number): [number, number] {
  const first = (limit: number) => {
    let a = 0, b = time.length;
    while (a < b) {
      const middle = (a + b) >> 1;
      if (time[middle] < limit) a = middle + 1; else b = middle;
    }
    return a;
  };
  let to = first(high);
  while (to < time.length && time[to] <= high) ++to; // an event has two records at its time
  return [Math.max(first(low) - 1, 0), Math.min(to + 1, time.length)];
}

function extremes(values: Column, from: number, to: number): [number | null, number | null] {
  let least = -1, greatest = -1;
  for (let k = from; k < to; ++k) {
    const x = values[k];
    if (x === null || Number.isNaN(x)) continue;
    if (least < 0 || x < values[least]!) least = k;
    if (greatest < 0 || x > values[greatest]!) greatest = k;
  }
  if (least < 0) return [null, null];
  return least < greatest ? [values[least], values[greatest]] : [values[greatest], values[least]];
}

/**
 * Time and columns between low and high in at most about 2 `columns` points; all of them where there are few.
 * Each interval gives two points, at its first and at its last record.
 */
export function decimated(time: Float64Array, data: Column[], low: number, high: number, columns: number): Column[] {
  const [from, to] = cover(time, low, high), count = to - from;
  if (count <= 2 * columns) {
    const cut = (list: Column): Column => list.length === count ? list
      : ArrayBuffer.isView(list) ? (list as Float64Array).subarray(from, to) : (list as (number | null)[]).slice(from, to);
    return [cut(time), ...data.map(cut)];
  }
  const edge = (k: number) => from + Math.floor(k * count / columns);
  const places = new Float64Array(2 * columns);
  for (let k = 0; k < columns; ++k) {
    places[2 * k] = time[edge(k)];
    places[2 * k + 1] = time[edge(k + 1) - 1];
  }
  return [places, ...data.map((values) => {
    const out = new Array<number | null>(2 * columns);
    for (let k = 0; k < columns; ++k) [out[2 * k], out[2 * k + 1]] = extremes(values, edge(k), edge(k + 1));
    return out;
  })];
}
