/**
 * Answers of the Prometheus API, from events of JSON to columns. Only the items of the answer become values of the program:
 * each is passed on when it ends. The rest of the answer is small and is returned as it is.
 */
import { FleetError } from '../base/errors.ts'
import { grown } from '../base/grown.ts'
import type { Histogram } from '../model/histogram.ts'
import { Labels } from '../model/labels.ts'
import { histogramOfJson } from './histogram-json.ts'
import { JsonStreamError, type JsonEvents, type JsonToken } from './json-stream.ts'

/** A series of a result. The columns belong to the receiver. */
export interface AnsweredSeries {
  readonly labels: Labels
  readonly timesMs: Float64Array
  readonly values: Float64Array
  readonly histogramTimesMs: readonly number[]
  readonly histograms: readonly Histogram[]
}

/** What an answer has in its list, one item at a time. */
export interface AnswerItems {
  series?(series: AnsweredSeries): void
  /** Of a list of label sets. */
  labels?(labels: Labels): void
  /** A text of a list of texts. */
  text?(text: string): void
  /** Any other item, as `JSON.parse` reads it. */
  value?(value: unknown): void
}

export interface AnswerShape {
  /** `result`: a list at `data.result`; `data`: a list at `data`; `lines`: one document each, as VictoriaMetrics exports. */
  readonly list: 'result' | 'data' | 'lines'
  readonly items: AnswerItems
  /** Each more throws FleetError `query_limit`. Histograms are samples. */
  readonly seriesMax: number
  readonly samplesMax: number
}

/** What an answer has besides its items. */
export interface AnswerFrame {
  readonly status?: unknown
  readonly error?: unknown
  readonly errorType?: unknown
  readonly warnings?: unknown
  readonly infos?: unknown
  readonly data?: unknown
}

/** Values that are read as a tree: annotations, statistics, metadata. */
const TREE_VALUES_MAX = 2_000_000
/** The texts of labels that are held once per answer. */
const KNOWN_TEXTS_MAX = 200_000

type Tree = unknown[] | Map<string, unknown>

export class AnswerReader implements JsonEvents {
  series = 0
  samples = 0
  readonly #shape: AnswerShape
  /** The depth in which items are values. */
  readonly #itemDepth: number
  readonly #open: { readonly tree: Tree; key: string }[] = []
  #frame: unknown
  #treeValues = 0
  /** Pairs of the label set that is read. */
  #pairs: string[] | undefined
  #labels: Labels | undefined
  readonly #texts = new Map<string, string>()
  readonly #points = new Points()
  /** Inside of the list of points of an item: 1 in the list, 2 in a point. */
  #pointDepth = 0
  /** In an item of lines: the columns that are read. */
  #column: 'values' | 'timestamps' | undefined

  constructor(shape: AnswerShape) {
    this.#shape = shape
    this.#itemDepth = { result: 3, data: 2, lines: 0 }[shape.list]
  }

  /** All but the items. */
  get frame(): AnswerFrame {
    return this.#frame ?? {}
  }

  open(isList: boolean): void {
    if (this.#pointDepth > 0) {
      if (this.#pointDepth === 2 || !isList) throw misshapen('a point is not a time and a value')
      this.#pointDepth = 2
      this.#points.start()
      return
    }
    if (this.#pairs !== undefined || this.#column !== undefined) throw misshapen('a label or a sample is not a text')
    if (this.#isItem && !isList && this.#shape.items.labels !== undefined) {
      this.#pairs = []
      return
    }
    const parent = this.#open.at(-1)
    if (this.#isInItem && parent !== undefined && this.#shape.items.series !== undefined) {
      const { key } = parent
      if (!isList && key === 'metric') {
        this.#pairs = []
        return
      }
      if (isList && this.#shape.list === 'lines' && (key === 'values' || key === 'timestamps')) {
        this.#column = key
        return
      }
      if (isList && (key === 'values' || key === 'value') && this.#shape.list === 'result') {
        this.#pointDepth = key === 'values' ? 1 : 2
        if (key === 'value') this.#points.start()
        return
      }
    }
    this.#open.push({ tree: isList ? [] : new Map(), key: '' })
  }

  close(): void {
    if (this.#pointDepth > 0) {
      this.#closePoint()
      return
    }
    if (this.#column !== undefined) {
      this.#column = undefined
      return
    }
    if (this.#pairs !== undefined) {
      const labels = labelsOf(this.#pairs)
      this.#pairs = undefined
      if (this.#isItem) {
        this.#countSeries()
        this.#shape.items.labels?.(labels)
      } else this.#labels = labels
      return
    }
    const { tree } = this.#open.pop()!
    if (this.#isItem && this.#isInList) this.#endItem(tree)
    else this.#put(tree)
  }

  key(token: JsonToken): void {
    const text = this.#known(token.text())
    if (this.#pairs === undefined) this.#open.at(-1)!.key = text
    else this.#pairs.push(text)
  }

  text(token: JsonToken): void {
    if (this.#pointDepth === 2) {
      const sample = token.sample()
      if (sample === undefined) throw misshapen('a sample is not a number')
      this.#points.endValue(sample)
      return
    }
    if (this.#pairs !== undefined) {
      this.#pairs.push(this.#known(token.text()))
      return
    }
    if (this.#pointDepth > 0 || this.#column !== undefined) throw misshapen('a sample is a text')
    const text = token.text()
    if (this.#isItem && this.#isInList && this.#shape.items.text !== undefined) {
      this.#countSeries()
      this.#shape.items.text(text)
    } else this.#put(text)
  }

  number(value: number): void {
    if (this.#pointDepth === 2) this.#points.putTime(value)
    else if (this.#column === 'values') this.#putColumnValue(value)
    else if (this.#column === 'timestamps') this.#points.putTimeOfColumn(value)
    else this.#putPrimitive(value)
  }

  literal(value: boolean | null): void {
    // VictoriaMetrics exports a stale marker as null, and a first one as NaN.
    if (this.#column === 'values' && value === null) this.#putColumnValue(NaN)
    else this.#putPrimitive(value)
  }

  #putPrimitive(value: unknown): void {
    if (this.#pairs !== undefined || this.#pointDepth > 0 || this.#column !== undefined) {
      throw misshapen('a label or a sample has another type')
    }
    this.#put(value)
  }

  #putColumnValue(value: number): void {
    this.#points.putValueOfColumn(value)
    this.#countSamples(1)
  }

  /** Whether what is opened or put next is an item, in an object or list at the place of the items. */
  get #isItem(): boolean {
    return this.#open.length === this.#itemDepth && this.#isInPath
  }

  get #isInItem(): boolean {
    return this.#open.length === this.#itemDepth + 1 && this.#isInPath
  }

  get #isInList(): boolean {
    return this.#shape.list === 'lines' || Array.isArray(this.#open.at(-1)?.tree)
  }

  get #isInPath(): boolean {
    if (this.#shape.list === 'lines') return true
    if (this.#open[0]?.key !== 'data' || !Array.isArray(this.#open[this.#itemDepth - 1]?.tree)) return false
    return this.#shape.list === 'data' || this.#open[1]?.key === 'result'
  }

  #closePoint(): void {
    if (this.#pointDepth === 2) {
      this.#points.end()
      this.#countSamples(1)
      // The only point of an item of a vector is no list of points.
      this.#pointDepth = this.#open.at(-1)!.key === 'value' ? 0 : 1
    } else this.#pointDepth = 0
  }

  #endItem(tree: Tree): void {
    const { items } = this.#shape
    if (items.series === undefined || Array.isArray(tree)) {
      this.#countSeries()
      items.value?.(plain(tree))
      return
    }
    if (this.#labels === undefined) throw misshapen('a series has no labels')
    this.#countSeries()
    const points = [tree.get('histogram'), ...((tree.get('histograms') as unknown[] | undefined) ?? [])].filter(
      (point) => point !== undefined,
    )
    this.#countSamples(points.length)
    const read = points.map(histogramPoint)
    items.series({
      labels: this.#labels,
      ...this.#points.take(),
      histogramTimesMs: read.map(({ timeMs }) => timeMs),
      histograms: read.map(({ histogram }) => histogram),
    })
    this.#labels = undefined
  }

  #put(value: unknown): void {
    if (++this.#treeValues > TREE_VALUES_MAX) throw misshapen(`it has more than ${TREE_VALUES_MAX} values`)
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#frame = plain(value)
    else if (Array.isArray(parent.tree)) parent.tree.push(value)
    else parent.tree.set(parent.key, value)
  }

  #countSeries(): void {
    // Values of items that were passed on are no longer in memory.
    this.#treeValues = 0
    if (++this.series > this.#shape.seriesMax) {
      throw new FleetError(
        'query_limit',
        `the answer of the metrics store has more than ${this.#shape.seriesMax} series`,
        {
          hint: 'select fewer series',
        },
      )
    }
  }

  #countSamples(samples: number): void {
    this.samples += samples
    if (this.samples > this.#shape.samplesMax) {
      throw new FleetError(
        'query_limit',
        `the answer of the metrics store has more than ${this.#shape.samplesMax} samples, the value of query.samples-max`,
        { hint: 'select fewer series, a shorter range or a longer step' },
      )
    }
  }

  /** One text object for equal texts. */
  #known(text: string): string {
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    if (this.#texts.size < KNOWN_TEXTS_MAX) this.#texts.set(text, text)
    return text
  }
}

export function misshapen(what: string): JsonStreamError {
  return new JsonStreamError(what)
}

function labelsOf(pairs: readonly string[]): Labels {
  const list: [string, string][] = []
  for (let i = 0; i + 1 < pairs.length; i += 2) list.push([pairs[i]!, pairs[i + 1]!])
  return Labels.fromPairs(list)
}

/** Objects of JSON as objects without a prototype: names of the answer cannot meet those of the language. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!(value instanceof Map)) return value
  const object = Object.create(null) as Record<string, unknown>
  for (const [key, one] of value as Map<string, unknown>) object[key] = plain(one)
  return object
}

function histogramPoint(point: unknown): { readonly timeMs: number; readonly histogram: Histogram } {
  const [time, histogram] = Array.isArray(point) ? (point as unknown[]) : []
  if (typeof time !== 'number') throw misshapen('a histogram has no time')
  return { timeMs: Math.round(time * 1000), histogram: histogramOfJson(plain(histogram)) }
}

/** The points of one series, in columns that are reused. */
class Points {
  #timesMs = new Float64Array(256)
  #values = new Float64Array(256)
  #times = 0
  #count = 0
  #parts = 0

  start(): void {
    this.#parts = 0
  }

  putTime(seconds: number): void {
    if (this.#parts !== 0) throw misshapen('a point has no time, or two')
    this.#parts = 1
    this.putTimeOfColumn(Math.round(seconds * 1000))
  }

  endValue(value: number): void {
    if (this.#parts !== 1) throw misshapen('a point has a value before its time, or two')
    this.#parts = 2
    this.putValueOfColumn(value)
  }

  end(): void {
    if (this.#parts !== 2) throw misshapen('a point is not a time and a value')
  }

  putTimeOfColumn(timeMs: number): void {
    if (this.#times === this.#timesMs.length) this.#timesMs = grown(this.#timesMs, this.#times * 2)
    this.#timesMs[this.#times++] = timeMs
  }

  putValueOfColumn(value: number): void {
    if (this.#count === this.#values.length) this.#values = grown(this.#values, this.#count * 2)
    this.#values[this.#count++] = value
  }

  take(): { readonly timesMs: Float64Array; readonly values: Float64Array } {
    if (this.#times !== this.#count) throw misshapen('a series has not as many times as values')
    const taken = { timesMs: this.#timesMs.slice(0, this.#count), values: this.#values.slice(0, this.#count) }
    this.#times = 0
    this.#count = 0
    return taken
  }
}
