import { pick, type Random } from '../fuzz/mutate.ts'

/**
 * Queries drawn from the grammar over real names: everything that is stable in PromQL, nested. What is drawn follows from
 * the draws alone, so a seed names all queries of a run.
 */
export interface Vocabulary {
  readonly metrics: readonly string[]
  /** Of them, those that are counters, by their name. */
  readonly counters: readonly string[]
  readonly labels: readonly LabelValues[]
  /** Those of one metric. */
  labelsOf(metric: string): readonly LabelValues[]
  /** A fixed time for `@`, as it is written. */
  readonly at: string
  /** Keeps windows inside of a subquery off its steps. */
  readonly nudge: string
}

export interface LabelValues {
  readonly name: string
  readonly values: readonly string[]
}

const MATH = 'abs ceil floor exp ln log2 log10 sqrt sgn sin cos tan asinh atan tanh deg rad'.split(' ')
const CALENDAR = 'day_of_month day_of_week day_of_year days_in_month hour minute month year timestamp'.split(' ')
const COUNTER_RANGE = 'rate increase irate resets changes'.split(' ')
const GAUGE_RANGE = (
  'delta idelta deriv changes resets avg_over_time min_over_time max_over_time sum_over_time count_over_time ' +
  'stddev_over_time stdvar_over_time last_over_time present_over_time'
).split(' ')
const AGGREGATES = 'sum avg min max count group stddev stdvar'.split(' ')
const ARITHMETIC = '+ - * / % ^ atan2'.split(' ')
const COMPARISON = '== != > < >= <='.split(' ')
const RANGES = '1m 2m 5m 10m 15m 90s'.split(' ')
const OFFSETS = '30s 1m 5m 10m -1m'.split(' ')
const NUMBERS = '0 1 2 -1 0.5 3 10 100 1e3 0.05 1.7 -0.25'.split(' ')

/** One query. `depth` bounds how far it nests. */
export function randomQuery(draw: Random, words: Vocabulary, depth: number): string {
  const isTop = draw(12) === 0
  const vector = new Writer(draw, words).vector(depth)
  if (!isTop) return vector
  const k = pick(draw, ['1', '2', '3', '5', '100', '0', '-1'])
  return `${pick(draw, ['topk', 'bottomk'])}${draw(3) === 0 ? ` by (${pick(draw, words.labels).name}) ` : ''}(${k}, ${vector})`
}

class Writer {
  readonly #draw: Random
  readonly #words: Vocabulary
  #isInSubquery = false

  constructor(draw: Random, words: Vocabulary) {
    this.#draw = draw
    this.#words = words
  }

  #pick<T>(items: readonly T[]): T {
    return pick(this.#draw, items)
  }

  #chance(oneIn: number): boolean {
    return this.#draw(oneIn) === 0
  }

  vector(depth: number): string {
    if (depth <= 0) return this.#selector(this.#pick(this.#words.metrics))
    switch (this.#draw(16)) {
      case 0:
        return this.#selector(this.#pick(this.#words.metrics))
      case 1:
      case 2:
        return this.#overRange()
      case 3:
      case 4:
      case 5:
        return this.#aggregate(depth)
      case 6:
        return `${this.#pick(MATH)}(${this.vector(depth - 1)})`
      case 7:
        return this.#withScalar(depth)
      case 8:
      case 9:
        return this.#join(depth)
      case 10:
        return this.#sets(depth)
      case 11:
        return this.#subquery(depth)
      case 12:
        return this.#labels(depth)
      case 13:
        return this.#shape(depth)
      case 14:
        return this.#chance(3)
          ? `${this.#pick(CALENDAR.slice(0, -1))}()`
          : `${this.#pick(CALENDAR)}(${this.vector(depth - 1)})`
      default:
        return `-(${this.vector(depth - 1)})`
    }
  }

  scalar(depth: number): string {
    switch (depth <= 0 ? 0 : this.#draw(6)) {
      case 1:
        return `scalar(${this.vector(depth - 1)})`
      case 2:
        return 'time()'
      case 3:
        return `(${this.#pick(NUMBERS)} ${this.#pick(ARITHMETIC.slice(0, 6))} ${this.scalar(depth - 1)})`
      case 4:
        return `(${this.scalar(depth - 1)} ${this.#pick(COMPARISON)} bool ${this.scalar(depth - 1)})`
      default:
        return this.#pick(NUMBERS)
    }
  }

  #selector(metric: string, range = ''): string {
    const braces = this.#chance(3) ? `{${this.#matchers(metric)}}` : ''
    return `${metric}${braces}${range}${this.#times()}`
  }

  #matchers(metric: string): string {
    const { name, values } = this.#pick(this.#words.labelsOf(metric))
    const value = this.#pick(values)
    switch (this.#draw(5)) {
      case 0:
        return `${name}!=${JSON.stringify(value)}`
      case 1:
        return `${name}=~${JSON.stringify(`${value.slice(0, Math.ceil(value.length / 2)).replace(/[^\w-]/g, '.')}.*`)}`
      case 2:
        return `${name}!~".*[02468]"`
      case 3:
        return `${name}=~".+",cluster=~".*"`
      default:
        return `${name}=${JSON.stringify(value)}`
    }
  }

  #times(): string {
    const offset = this.#chance(5) ? ` offset ${this.#pick(OFFSETS)}` : ''
    if (!this.#chance(12)) return offset
    return ` @ ${this.#pick(['start()', 'end()', this.#words.at])}${offset}`
  }

  #overRange(): string {
    const { counters, metrics } = this.#words
    const range = `[${this.#pick(RANGES)}]`
    switch (this.#draw(8)) {
      case 0:
        return `quantile_over_time(${this.#pick(['0.5', '0.9', '0', '1', '-1', '2'])}, ${this.#selector(this.#pick(metrics), range)})`
      case 1:
        return `predict_linear(${this.#selector(this.#pick(metrics), range)}, ${this.#pick(['60', '3600', '-30'])})`
      case 2:
        return `absent_over_time(${this.#selector(this.#pick(metrics), range)})`
      case 3:
      case 4:
      case 5:
        return `${this.#pick(COUNTER_RANGE)}(${this.#selector(this.#pick(counters), range)})`
      default:
        return `${this.#pick(GAUGE_RANGE)}(${this.#selector(this.#pick(metrics), range)})`
    }
  }

  #grouping(): string {
    const names = Array.from({ length: this.#draw(3) }, () => this.#pick(this.#words.labels).name)
    return `${this.#pick(['by', 'by', 'by', 'without'])} (${[...new Set(['cluster', ...names].slice(this.#draw(2)))].join(', ')})`
  }

  #aggregate(depth: number): string {
    const inner = this.vector(depth - 1)
    const grouping = this.#chance(4) ? '' : ` ${this.#grouping()} `
    if (this.#chance(8)) return `quantile${grouping}(${this.#pick(['0.5', '0.9', '1', '0.25'])}, ${inner})`
    if (this.#chance(10)) return `count_values${grouping}("value", ${inner})`
    return `${this.#pick(AGGREGATES)}${grouping}(${inner})`
  }

  #withScalar(depth: number): string {
    const vector = this.vector(depth - 1)
    const scalar = this.scalar(depth - 1)
    const op = this.#chance(2) ? this.#pick(ARITHMETIC) : `${this.#pick(COMPARISON)}${this.#chance(2) ? ' bool' : ''}`
    return this.#chance(2) ? `((${vector}) ${op} ${scalar})` : `(${scalar} ${op} (${vector}))`
  }

  #operator(): string {
    return this.#chance(2) ? this.#pick(ARITHMETIC) : `${this.#pick(COMPARISON)}${this.#chance(2) ? ' bool' : ''}`
  }

  #join(depth: number): string {
    const op = this.#operator()
    const metric = this.#pick(this.#words.metrics)
    switch (this.#draw(8)) {
      case 6:
        return `(${this.#selector(metric)} ${op} on (${this.#pick(['cluster', 'namespace'])}) ${this.#selector(this.#pick(this.#words.metrics))})`
      case 7:
        return `(max by (cluster) (${metric}) ${op} on (cluster) group_left () ${this.#selector(this.#pick(this.#words.metrics))})`
      case 0:
        return `(${metric} ${op} ${metric} offset ${this.#pick(OFFSETS)})`
      case 1: {
        const labels = this.#pick(['cluster', 'cluster, namespace', 'cluster, pod', 'namespace'])
        return `(sum by (${labels}) (${this.vector(depth - 1)}) ${op} on (${labels}) sum by (${labels}) (${this.vector(depth - 1)}))`
      }
      case 2:
        return `(${this.#selector(metric)} ${op} on (cluster) group_left ${this.#chance(2) ? '(version)' : '()'} max by (cluster, version) (${this.vector(depth - 1)}))`
      case 3:
        return `(max by (cluster) (${this.vector(depth - 1)}) ${op} on (cluster) group_right () ${this.#selector(metric)})`
      case 4:
        return `((${this.vector(depth - 1)}) ${op} ignoring (${this.#pick(this.#words.labels).name}) (${this.vector(depth - 1)}))`
      default:
        return `((${this.vector(depth - 1)}) ${op} (${this.vector(depth - 1)}))`
    }
  }

  #sets(depth: number): string {
    const on = this.#chance(3)
      ? ''
      : ` ${this.#pick(['on (cluster)', 'ignoring (pod, instance)', 'on (cluster, namespace)'])}`
    return `((${this.vector(depth - 1)}) ${this.#pick(['and', 'or', 'unless'])}${on} (${this.vector(depth - 1)}))`
  }

  #subquery(depth: number): string {
    const nudge = this.#isInSubquery ? ` offset ${this.#words.nudge}` : ''
    const before = this.#isInSubquery
    this.#isInSubquery = true
    const inner = this.vector(Math.min(2, depth - 1))
    this.#isInSubquery = before
    const range = this.#pick(['5m:30s', '10m:1m', '4m:', '3m:20s', '7m:45s'])
    const func = this.#pick([...GAUGE_RANGE, 'rate', 'increase'])
    return `${func}((${inner})[${range}]${nudge})`
  }

  #labels(depth: number): string {
    const inner = this.vector(depth - 1)
    const { name } = this.#pick(this.#words.labels)
    if (this.#chance(3)) return `label_join(${inner}, "joined", "-", "cluster", ${JSON.stringify(name)})`
    const target = this.#pick(['made', 'made', name, 'cluster'])
    const pattern = this.#pick(['(.*)', '(.+)-(.+)', '.*([a-z]).*', '', 'never', '(?i:PRAGUE)-(.*)'])
    const replacement = this.#pick(['$1', 'x-$1', '$2', '', 'fixed', '${1}y'])
    return `label_replace(${inner}, ${JSON.stringify(target)}, ${JSON.stringify(replacement)}, ${JSON.stringify(name)}, ${JSON.stringify(pattern)})`
  }

  #shape(depth: number): string {
    const inner = this.vector(depth - 1)
    switch (this.#draw(8)) {
      case 0:
        return `clamp(${inner}, ${this.#pick(NUMBERS)}, ${this.#pick(NUMBERS)})`
      case 1:
        return `clamp_min(${inner}, ${this.scalar(depth - 1)})`
      case 2:
        return `clamp_max(${inner}, ${this.scalar(depth - 1)})`
      case 3:
        return `round(${inner}, ${this.#pick(['1', '0.1', '5', '0.25'])})`
      case 4:
        return `absent(${inner})`
      case 5:
        return `vector(${this.scalar(depth)})`
      case 6:
        return `${this.#pick(['sort', 'sort_desc'])}(${inner})`
      default:
        return `round(${inner})`
    }
  }
}
