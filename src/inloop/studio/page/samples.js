// Samples of the chosen signals: appended without loss, read by time range.

const CAPACITY = 1 << 18; // rows; at 5 kHz the last 26 to 52 s
const HAIR = 1e-9; // rounding between two computations of a time [s]

export class Samples {
  /** @type {Float64Array} */
  times = new Float64Array(0);
  /** @type {number} */
  length = 0;
  /** @type {number} */
  lost = 0;

  constructor() {
    /** @type {Map<string, Float32Array>} */
    this.columns = new Map();
    this.received = 0;
    this.clear();
  }

  clear() {
    this.times = new Float64Array(CAPACITY);
    this.length = 0;
    this.lost = 0;
    for (const name of this.columns.keys()) this.columns.set(name, new Float32Array(CAPACITY));
  }

  /**
   * Keep these signals, with their existing samples.
   * @param {string[]} names
   */
  choose(names) {
    for (const name of [...this.columns.keys()])
      if (!names.includes(name)) this.columns.delete(name);
    for (const name of names) {
      if (!this.columns.has(name)) this.columns.set(name, new Float32Array(CAPACITY).fill(NaN));
    }
  }

  /**
   * Append a frame whose columns are the signals `names`.
   * @param {{ times: Float64Array, columns: Float32Array[], lost: number }} frame
   * @param {string[]} names
   */
  append({ times, columns, lost }, names) {
    const count = times.length;
    if (!count) return;
    const start = lastFall(times, this.length ? this.times[this.length - 1] : -Infinity);
    if (start >= 0) {
      this.clear(); // a reset: earlier samples belong to another run
      const rest = {
        times: times.subarray(start),
        columns: columns.map((c) => c.subarray(start)),
        lost: 0,
      };
      this.append(rest, names);
      return;
    }
    this.received += count;
    if (lost) {
      this.lost += lost;
      this.gap(times[0]);
    }
    this.makeRoom(count);
    this.times.set(times, this.length);
    for (const [name, column] of this.columns) {
      const index = names.indexOf(name);
      if (index < 0) column.fill(NaN, this.length, this.length + count);
      else column.set(columns[index], this.length);
    }
    this.length += count;
  }

  /**
   * A row without values, which breaks the lines.
   * @param {number} time
   */
  gap(time) {
    this.makeRoom(1);
    this.times[this.length] = time;
    for (const column of this.columns.values()) column[this.length] = NaN;
    this.length += 1;
  }

  /**
   * Move the newer half to the front when the end is near.
   * @param {number} count
   */
  makeRoom(count) {
    if (this.length + count <= CAPACITY) return;
    const from = Math.max(this.length - CAPACITY / 2, 0);
    for (const array of [this.times, ...this.columns.values()])
      array.copyWithin(0, from, this.length);
    this.length -= from;
  }

  get end() {
    return this.length ? this.times[this.length - 1] : 0;
  }

  /**
   * First row at or after a time.
   * @param {number} time
   */
  rowAt(time) {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * All rows of a signal that is kept.
   * @param {string} name
   */
  column(name) {
    return this.columns.get(name) ?? new Float32Array(CAPACITY).fill(NaN);
  }

  /**
   * Value of a signal in the newest row, or in the last one up to a time.
   * @param {string} name
   * @param {number} [time]
   */
  latest(name, time) {
    const row = (time === undefined ? this.length : this.rowAt(time + HAIR)) - 1;
    return row >= 0 ? this.columns.get(name)?.[row] : undefined;
  }

  /**
   * [times, values…] between two times, thinned to the extremes of a number of buckets.
   * @param {string[]} names
   * @param {number} from
   * @param {number} to
   * @param {number} buckets
   * @returns {import("/vendor/uPlot.esm.js").AlignedData}
   */
  stretch(names, from, to, buckets) {
    const low = Math.max(this.rowAt(from) - 1, 0);
    const high = Math.min(this.rowAt(to) + 1, this.length);
    const count = high - low;
    if (count <= 4 * buckets) {
      return [
        this.times.subarray(low, high),
        ...names.map((name) => gapped(this.column(name).subarray(low, high))),
      ];
    }
    return this.thinned(names, low, high, buckets);
  }

  /**
   * @param {string[]} names
   * @param {number} low
   * @param {number} high
   * @param {number} buckets
   * @returns {import("/vendor/uPlot.esm.js").AlignedData}
   */
  thinned(names, low, high, buckets) {
    const times = new Float64Array(2 * buckets);
    /** @type {Array<Array<number | null>>} */
    const columns = names.map(() => new Array(2 * buckets));
    const rows = (high - low) / buckets;
    for (let bucket = 0; bucket < buckets; bucket += 1) {
      const start = low + Math.floor(bucket * rows);
      const stop = low + Math.floor((bucket + 1) * rows);
      times[2 * bucket] = this.times[start];
      times[2 * bucket + 1] = this.times[(start + stop) >> 1];
      names.forEach((name, i) => {
        const pair = extremes(this.column(name), start, stop);
        columns[i][2 * bucket] = pair[0];
        columns[i][2 * bucket + 1] = pair[1];
      });
    }
    return [times, ...columns];
  }
}

/**
 * The last row that is earlier than the one before it; -1 if time only increases.
 * @param {Float64Array} times
 * @param {number} before
 */
function lastFall(times, before) {
  for (let row = times.length - 1; row > 0; row -= 1) if (times[row] < times[row - 1]) return row;
  return times[0] < before ? 0 : -1;
}

/**
 * Smallest and largest value in their order in time; null where there is none.
 * @param {Float32Array} column
 * @param {number} start
 * @param {number} stop
 */
function extremes(column, start, stop) {
  let [least, most, whereLeast, whereMost] = [Infinity, -Infinity, start, start];
  for (let row = start; row < stop; row += 1) {
    const value = column[row];
    if (value < least) [least, whereLeast] = [value, row];
    if (value > most) [most, whereMost] = [value, row];
  }
  if (least === Infinity) return [null, null];
  return whereLeast <= whereMost ? [least, most] : [most, least];
}

/**
 * uPlot leaves gaps at null, not at NaN.
 * @param {Float32Array} values
 */
function gapped(values) {
  return values.some(Number.isNaN)
    ? Array.from(values, (value) => (Number.isNaN(value) ? null : value))
    : values;
}
