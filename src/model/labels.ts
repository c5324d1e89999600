/**
 * A label set: the identity of a series, immutable, sorted by name. An empty value is the same as an absent label
 * (Prometheus' rule), so empty values are dropped on the way in.
 */

/** Name of the label that holds the metric's name. */
export const METRIC_NAME = '__name__'

export class Labels {
  /** Names and values in turn, sorted by name: `[n0, v0, n1, v1, ...]`. Do not write to it. */
  readonly flat: readonly string[]
  #key: string | undefined

  private constructor(flat: readonly string[]) {
    this.flat = flat
  }

  // A getter: TypeScript 6.0.3 emits a class whose static initialiser names itself with an alias it never assigns.
  static get EMPTY(): Labels {
    return EMPTY
  }

  /** From `flat` as another `Labels` holds it: sorted, no repeats, no empty values. Not checked. */
  static fromFlat(flat: readonly string[]): Labels {
    return new Labels(flat)
  }

  /** From pairs in any order. The last value of a repeated name wins; `ingest` refuses repeated names of senders. */
  static fromPairs(pairs: Iterable<readonly [string, string]>): Labels {
    const byName = new Map<string, string>()
    for (const [name, value] of pairs) byName.set(name, value)
    const names = [...byName.keys()].filter((name) => byName.get(name) !== '').sort(compareText)
    return Labels.fromFlat(names.flatMap((name) => [name, byName.get(name)!]))
  }

  static of(record: Readonly<Record<string, string>>): Labels {
    return Labels.fromPairs(Object.entries(record))
  }

  get size(): number {
    return this.flat.length / 2
  }

  /** The value, or the empty string when the label is absent. */
  get(name: string): string {
    const flat = this.flat
    for (let i = 0; i < flat.length; i += 2) if (flat[i] === name) return flat[i + 1]!
    return ''
  }

  has(name: string): boolean {
    return this.get(name) !== ''
  }

  /** The metric's name, or the empty string. */
  get metricName(): string {
    return this.get(METRIC_NAME)
  }

  /** One string per label set: equal keys mean equal sets. Not for showing; see `toString`. */
  get key(): string {
    this.#key ??= this.flat.join('\u0000')
    return this.#key
  }

  equals(other: Labels): boolean {
    return this === other || this.key === other.key
  }

  /** Only the named labels. */
  keep(names: ReadonlySet<string>): Labels {
    return this.#where((name) => names.has(name))
  }

  /** All but the named labels. */
  drop(names: ReadonlySet<string>): Labels {
    return this.#where((name) => !names.has(name))
  }

  dropMetricName(): Labels {
    return this.#where((name) => name !== METRIC_NAME)
  }

  /** With one label set; the empty value removes it. */
  with(name: string, value: string): Labels {
    if (this.get(name) === value) return this
    const flat = this.flat
    let at = 0
    while (at < flat.length && flat[at]! < name) at += 2
    const rest = flat[at] === name ? at + 2 : at
    const pair = value === '' ? [] : [name, value]
    return Labels.fromFlat([...flat.slice(0, at), ...pair, ...flat.slice(rest)])
  }

  *pairs(): IterableIterator<readonly [string, string]> {
    for (let i = 0; i < this.flat.length; i += 2) yield [this.flat[i]!, this.flat[i + 1]!]
  }

  toObject(): Record<string, string> {
    return Object.fromEntries(this.pairs())
  }

  /** As PromQL writes it: `up{job="a"}`. */
  toString(): string {
    const rest = [...this.dropMetricName().pairs()].map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    return rest.length === 0 && this.metricName !== '' ? this.metricName : `${this.metricName}{${rest.join(', ')}}`
  }

  #where(keeps: (name: string) => boolean): Labels {
    const kept: string[] = []
    for (let i = 0; i < this.flat.length; i += 2) {
      if (keeps(this.flat[i]!)) kept.push(this.flat[i]!, this.flat[i + 1]!)
    }
    return kept.length === this.flat.length ? this : Labels.fromFlat(kept)
  }
}

const EMPTY = Labels.fromFlat([])

/** Order of label names and values: by UTF-16 code unit, which is Prometheus' order for all but astral characters. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The order in which Prometheus lists series: name by name, value by value. */
export function compareLabels(a: Labels, b: Labels): number {
  const length = Math.min(a.flat.length, b.flat.length)
  for (let i = 0; i < length; i++) {
    const order = compareText(a.flat[i]!, b.flat[i]!)
    if (order !== 0) return order
  }
  return a.flat.length - b.flat.length
}
