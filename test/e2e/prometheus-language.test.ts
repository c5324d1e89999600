import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { Labels } from '../../src/model/labels.ts'
import { childrenOf, isComparison, unwrapParens, type Expr } from '../../src/promql/ast.ts'
import { formatExpr } from '../../src/promql/format.ts'
import { parseExpr } from '../../src/promql/parse.ts'
import { typeOf } from '../../src/promql/check.ts'
import { createFleet } from '../../sim/fleet.ts'
import { encodeWriteRequest } from '../../src/wire/remote-write-encode.ts'
import { encodeSnappy } from '../../src/wire/snappy.ts'
import { randomOf } from '../fuzz/mutate.ts'
import { skipInScaleOut } from '../support/mode.ts'
import { findPeer } from '../support/peers.ts'
import { startPrometheus } from '../support/prometheus.ts'
import { randomQuery, type Vocabulary } from '../support/random-queries.ts'
import { postWrite } from '../support/remote-write.ts'
import { startServer, withoutContent } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'

// The same samples of the simulated fleet in Daytwo and in a real Prometheus, and queries drawn from the grammar asked of
// both: label sets exactly the same, values to 1e-9, errors against errors. Every difference must be one that is known and
// explained below. Times are chosen so that no sample lies on the edge of a window, where 2.x and 3.x mean to differ.

/** More are for the hand: DAYTWO_PARITY_QUERIES=5000 npx vitest run test/e2e/prometheus-language.test.ts */
const QUERIES = Number(process.env['DAYTWO_PARITY_QUERIES'] ?? 400)
const SEED = Number(process.env['DAYTWO_PARITY_SEED'] ?? 20_261_121)
/** Two servers answer: while one of a pair of answers is awaited, others are worked on. */
const AT_ONCE = 4
const CLUSTERS = 6
const HISTORY_MS = 45 * 60_000
const DEPTH = 3
const RELATIVE = 1e-9

interface Asked {
  readonly expr: string
  /** Absent: an instant query at the end. */
  readonly range?: { readonly startMs: number; readonly stepMs: number }
  readonly endMs: number
}

type Point = readonly [number, string]
interface Series {
  readonly metric: Readonly<Record<string, string>>
  readonly value?: Point
  readonly values?: readonly Point[]
}

/** Values by time by label set, or why there are none. */
type Answer =
  | {
      readonly kind: 'series'
      readonly type: string
      readonly byLabels: ReadonlyMap<string, ReadonlyMap<number, number>>
    }
  | { readonly kind: 'error'; readonly errorType: string; readonly message: string }

/** A difference that is meant: it is explained when both answer the same once it is taken out of the query. */
interface KnownDifference {
  readonly reason: string
  /** The query without it; undefined: it has none of it. */
  readonly without?: (expr: Expr) => Expr | undefined
  /** For what cannot be taken out. */
  readonly explains?: (expr: Expr, ours: Answer, theirs: Answer) => boolean
}

/** Sorted values of each step, whoever has them. */
function valuesByTime(answer: Answer): string {
  if (answer.kind === 'error') return answer.message
  const byTime = new Map<number, number[]>()
  for (const points of answer.byLabels.values()) {
    for (const [timeMs, value] of points)
      byTime.set(timeMs, [...(byTime.get(timeMs) ?? []), Number(value.toPrecision(9))])
  }
  return JSON.stringify(
    [...byTime].sort(([a], [b]) => a - b).map(([timeMs, values]) => [timeMs, values.map(String).sort()]),
  )
}

const NOWHERE = { from: 0, to: 0 }
const CALENDAR = new Set('day_of_month day_of_week day_of_year days_in_month hour minute month year'.split(' '))

const TRANSCENDENTAL = new Set(
  'acos acosh asin asinh atan atanh cos cosh exp ln log10 log2 sin sinh tan tanh'.split(' '),
)

function isTranscendental(part: Expr): boolean {
  return part.kind === 'call' && TRANSCENDENTAL.has(part.func)
}

function allOf(expr: Expr): Expr[] {
  return [expr, ...childrenOf(expr).flatMap(allOf)]
}

function inParens(expr: Expr): Expr {
  return { kind: 'paren', expr, ...NOWHERE }
}

function literal(value: number): Expr {
  return { kind: 'number', value, isDuration: false, ...NOWHERE }
}

function within(expr: Expr, op: '<' | '>', bound: number): Expr {
  return inParens({ kind: 'binary', op, left: expr, right: literal(bound), isBool: false, ...NOWHERE })
}

function isFixed(expr: Expr): boolean {
  return expr.kind === 'matrix' ? expr.selector.at !== undefined : expr.kind === 'subquery' && expr.at !== undefined
}

/** The query with some parts replaced, innermost first; undefined when none is. */
function rewritten(expr: Expr, replace: (part: Expr) => Expr): Expr | undefined {
  let changes = 0
  const visit = (part: Expr): Expr => {
    const inner = withChildren(part, childrenOf(part).map(visit))
    const made = replace(inner)
    if (made !== inner) changes++
    return made
  }
  const made = visit(expr)
  return changes > 0 ? made : undefined
}

function withChildren(expr: Expr, parts: readonly Expr[]): Expr {
  const [first, second] = parts
  switch (expr.kind) {
    case 'subquery':
    case 'unary':
    case 'paren':
      return { ...expr, expr: first! }
    case 'call':
      return { ...expr, args: parts }
    case 'aggregate':
      return expr.param === undefined ? { ...expr, expr: first! } : { ...expr, param: first!, expr: second! }
    case 'binary':
      return { ...expr, left: first!, right: second! }
    default:
      return expr
  }
}

/** What Prometheus 3 changed on purpose, and what it leaves open. A difference that none of these explains is a bug. */
const KNOWN: readonly KnownDifference[] = [
  {
    reason: 'Prometheus 3 drops the name of what atan2 computes',
    without: (expr) =>
      rewritten(expr, (part) =>
        part.kind === 'binary' && part.op === 'atan2'
          ? inParens({ kind: 'binary', op: '+', left: inParens(part), right: literal(0), isBool: false, ...NOWHERE })
          : part,
      ),
  },
  {
    reason: 'Prometheus forgets the offset of a selector with @ in timestamp()',
    without: (expr) =>
      rewritten(expr, (part) => {
        const selector = part.kind === 'call' && part.func === 'timestamp' ? unwrapParens(part.args[0]!) : undefined
        if (part.kind !== 'call' || selector?.kind !== 'vector' || selector.at === undefined) return part
        const { offsetMs, offsetExpr, ...plain } = selector
        return offsetMs === 0 && offsetExpr === undefined ? part : { ...part, args: [{ ...plain, offsetMs: 0 }] }
      }),
  },
  {
    reason: 'Prometheus 2 moves the window of predict_linear although @ fixes it',
    explains: (expr) =>
      allOf(expr).some(
        (part) => part.kind === 'call' && part.func === 'predict_linear' && isFixed(unwrapParens(part.args[0]!)),
      ),
  },
  {
    reason: 'the date of NaN, of an infinity or of a time beyond its own is in Go what the processor makes of it',
    without: (expr) =>
      rewritten(expr, (part) =>
        part.kind === 'call' && CALENDAR.has(part.func) && part.args.length > 0
          ? { ...part, args: [within(within(part.args[0]!, '>', -1e11), '<', 1e11)] }
          : part,
      ),
  },
  {
    reason: 'count_values writes each digit of a value, and the last one of a transcendental function is left open',
    without: (expr) =>
      rewritten(expr, (part) =>
        part.kind === 'aggregate' && part.op === 'count_values' && allOf(part.expr).some(isTranscendental)
          ? { ...part, expr: { kind: 'call', func: 'round', args: [part.expr, literal(1e-9)], ...NOWHERE } }
          : part,
      ),
  },
  {
    reason: 'the deviation of values far larger than it depends on the order of series in its last digits',
    explains: (expr, ours, theirs) =>
      allOf(expr).some((part) => part.kind === 'aggregate' && (part.op === 'stddev' || part.op === 'stdvar')) &&
      difference(ours, theirs, 1e-7) === undefined,
  },
  {
    reason: 'in Prometheus 3 the deviation of an infinity or a NaN is NaN, also of one alone',
    without: (expr) =>
      rewritten(expr, (part) =>
        part.kind === 'aggregate' && (part.op === 'stddev' || part.op === 'stdvar')
          ? { ...part, expr: within(within(part.expr, '>', -1e300), '<', 1e300) }
          : part,
      ),
  },
  {
    reason: 'in Prometheus 3 what a comparison filters away counts as a match, and may be one too many',
    without: (expr) =>
      rewritten(expr, (part) =>
        part.kind === 'binary' && isComparison(part.op) && part.matching !== undefined && !part.isBool
          ? { ...part, isBool: true }
          : part,
      ),
  },
  {
    reason: 'which of equal values topk and bottomk keep is left open',
    explains: (expr, ours, theirs) => {
      const outer = unwrapParens(expr)
      return (
        outer.kind === 'aggregate' && /^(top|bottom)k$/.test(outer.op) && valuesByTime(ours) === valuesByTime(theirs)
      )
    },
  },
]

interface Rig {
  ask(name: 'ours' | 'theirs', asked: Asked): Promise<Answer>
  readonly words: Vocabulary
  /** On no sample's millisecond. */
  readonly residueMs: number
  readonly presentMs: number
}

const closers: (() => unknown)[] = []
let rig: Rig

beforeAll(async () => {
  const path = findPeer('prometheus')
  if (path === undefined) return
  const prometheus = await startPrometheus({ path, targets: [], isReceiver: true })
  closers.push(() => prometheus.stop())
  const data = tempDir('language')
  closers.push(() => {
    data.remove()
  })
  const server = await startServer(['serve', '--listen', '127.0.0.1:0', '--data', data.path, ...withoutContent()])
  closers.push(() => server.stop())
  const urls = { ours: server.url, theirs: prometheus.url }

  const presentMs = Math.floor(systemClock.nowMs() / 1000) * 1000
  const { residues, words, scrapedUntilMs } = await fill(Object.values(urls), presentMs)
  const isFree = (ms: number): boolean => !residues.has(((ms % 1000) + 1000) % 1000)
  const nudgeMs = 137
  const residueMs = Array.from({ length: 1000 }, (_, ms) => ms).find(
    (ms) => ms > 0 && isFree(ms) && isFree(ms - nudgeMs),
  )!
  // Steps of subqueries are whole seconds.
  expect(isFree(0) && isFree(-nudgeMs)).toBe(true)
  const at = ((scrapedUntilMs - 600_000 + residueMs) / 1000).toFixed(3)
  rig = {
    words: { ...words, at, nudge: `${nudgeMs}ms` },
    residueMs,
    presentMs: scrapedUntilMs,
    ask: (name, asked) => ask(urls[name], asked),
  }
}, 120_000)

afterAll(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** One replica of each cluster, its name left out: Daytwo would choose one, and drop the label. */
async function fill(
  urls: readonly string[],
  presentMs: number,
): Promise<{ residues: Set<number>; words: Omit<Vocabulary, 'at' | 'nudge'>; scrapedUntilMs: number }> {
  const startMs = presentMs - HISTORY_MS
  const fleet = createFleet({ seed: 'language', clusters: CLUSTERS, startMs, presentMs })
  const residues = new Set<number>()
  const metrics = new Set<string>()
  const labelValues = new Map<string, Map<string, Set<string>>>([['', new Map()]])
  for (const prometheus of fleet.prometheuses.filter(({ replica }) => replica === 0)) {
    const scrapes = prometheus.scrapesBetween(startMs, presentMs)
    for (const timeMs of scrapes) residues.add(timeMs % 1000)
    const series = prometheus.collect(scrapes).map(({ labels, samples }) => {
      const sent = Labels.fromPairs([...labels.pairs()].filter(([name]) => name !== 'prometheus_replica'))
      metrics.add(sent.metricName)
      for (const [name, value] of sent.pairs()) {
        if (name === '__name__') continue
        for (const metric of ['', sent.metricName]) {
          const known = labelValues.get(metric) ?? new Map<string, Set<string>>()
          labelValues.set(metric, known.set(name, (known.get(name) ?? new Set()).add(value)))
        }
      }
      return { labels: sent, samples }
    })
    const body = encodeSnappy(encodeWriteRequest(series))
    for (const url of urls) {
      const response = await postWrite(url, body)
      expect(response.status, await response.text()).toBe(204)
    }
  }
  const names = [...metrics].sort()
  const labelsOf = (metric: string): Vocabulary['labels'] =>
    Array.from(labelValues.get(metric)!, ([name, values]) => ({ name, values: [...values].sort() })).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )
  return {
    residues,
    words: {
      metrics: names,
      counters: names.filter((name) => name.endsWith('_total')),
      labels: labelsOf(''),
      labelsOf,
    },
    scrapedUntilMs: presentMs,
  }
}

async function ask(url: string, { expr, range, endMs }: Asked): Promise<Answer> {
  const params: Record<string, string> =
    range === undefined
      ? { query: expr, time: String(endMs / 1000) }
      : {
          query: expr,
          start: String(range.startMs / 1000),
          end: String(endMs / 1000),
          step: String(range.stepMs / 1000),
        }
  const path = range === undefined ? 'query' : 'query_range'
  const response = await fetch(`${url}/api/v1/${path}`, { method: 'POST', body: new URLSearchParams(params) })
  const text = await response.text()
  const answer = JSON.parse(text) as {
    status: string
    errorType?: string
    error?: string
    data?: { resultType: string; result: readonly Series[] | Point }
  }
  if (answer.status !== 'success') return { kind: 'error', errorType: answer.errorType!, message: answer.error! }
  const { resultType: type, result } = answer.data!
  const series = type === 'scalar' ? [{ metric: {}, value: result as Point }] : (result as readonly Series[])
  return {
    kind: 'series',
    type,
    byLabels: new Map(
      series.map(({ metric, value, values }) => [
        JSON.stringify(Object.entries(metric).sort(([a], [b]) => (a < b ? -1 : 1))),
        new Map((values ?? [value!]).map(([seconds, text]) => [Math.round(seconds * 1000), numberOf(text)])),
      ]),
    ),
  }
}

function numberOf(text: string): number {
  return text === '+Inf' ? Infinity : text === '-Inf' ? -Infinity : Number(text)
}

/** Why two answers differ; undefined when they do not. */
function difference(ours: Answer, theirs: Answer, relative = RELATIVE): string | undefined {
  if (ours.kind === 'error' || theirs.kind === 'error') {
    if (ours.kind !== theirs.kind) return `ours: ${told(ours)}; theirs: ${told(theirs)}`
    const [a, b] = [ours as Answer & { errorType: string }, theirs as Answer & { errorType: string }]
    return a.errorType === b.errorType ? undefined : `ours: ${told(ours)}; theirs: ${told(theirs)}`
  }
  if (ours.type !== theirs.type) return `type ${ours.type}, want ${theirs.type}`
  for (const [labels, points] of theirs.byLabels) {
    const got = ours.byLabels.get(labels)
    if (got === undefined) return `no ${labels}`
    for (const [timeMs, want] of points) {
      const value = got.get(timeMs)
      if (value === undefined) return `${labels}: nothing at ${timeMs}, want ${want}`
      if (!isClose(value, want, relative)) return `${labels}: ${value} at ${timeMs}, want ${want}`
    }
    if (got.size !== points.size) return `${labels}: ${got.size} points, want ${points.size}`
  }
  for (const labels of ours.byLabels.keys()) if (!theirs.byLabels.has(labels)) return `${labels}, which is not theirs`
  return undefined
}

function told(answer: Answer): string {
  return answer.kind === 'error' ? `${answer.errorType}: ${answer.message}` : `${answer.byLabels.size} series`
}

function isClose(a: number, b: number, relative: number): boolean {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) && Number.isNaN(b)
  return a === b || Math.abs(a - b) <= relative * Math.max(Math.abs(a), Math.abs(b))
}

async function explanationOf(asked: Asked, ours: Answer, theirs: Answer): Promise<KnownDifference | undefined> {
  const expr = parseExpr(asked.expr)
  /** What was taken out so far: a query may have several. */
  let rest = expr
  for (const known of KNOWN) {
    if (known.explains?.(expr, ours, theirs) === true) return known
    const without = known.without?.(rest)
    if (without === undefined) continue
    rest = without
    const changed = { ...asked, expr: formatExpr(rest) }
    const [a, b] = await Promise.all([rig.ask('ours', changed), rig.ask('theirs', changed)])
    if (difference(a, b) === undefined || known.explains?.(rest, a, b) === true) return known
  }
  return undefined
}

interface Comparison {
  readonly ours: Answer
  /** Why the answers differ although they are meant to. */
  readonly known?: KnownDifference
  /** What is left to explain. */
  readonly why?: string
}

async function compare(asked: Asked): Promise<Comparison> {
  const [ours, theirs] = await Promise.all([rig.ask('ours', asked), rig.ask('theirs', asked)])
  const why = difference(ours, theirs)
  if (why === undefined) return { ours }
  const known = await explanationOf(asked, ours, theirs)
  return known === undefined ? { ours, why } : { ours, known }
}

/** The smallest part of a query that still differs, found by taking parts away. */
async function shrunk(asked: Asked, why: string): Promise<{ readonly asked: Asked; readonly why: string }> {
  for (const smaller of partsOf(parseExpr(asked.expr))) {
    if (smaller.length >= asked.expr.length) continue
    const candidate = { ...asked, expr: smaller }
    const { why: still } = await compare(candidate)
    if (still !== undefined) return shrunk(candidate, still)
  }
  return { asked, why }
}

/** Texts of smaller queries: each part by itself, and the whole with one part made smaller. */
function partsOf(expr: Expr): string[] {
  const parts = childrenOf(expr)
  const alone = parts.filter((part) => ['vector', 'scalar'].includes(typeOf(part))).map(formatExpr)
  const whole = formatExpr(expr)
  const within = parts.flatMap((part) => {
    const text = formatExpr(part)
    return partsOf(part).map((smaller) => whole.replace(text, () => smaller))
  })
  return [...alone, ...within].filter(isQuery).sort((a, b) => a.length - b.length)
}

function isQuery(text: string): boolean {
  try {
    return ['vector', 'scalar'].includes(typeOf(parseExpr(text)))
  } catch {
    return false
  }
}

describe.skipIf(findPeer('prometheus') === undefined)('queries drawn from the grammar', () => {
  test(`${QUERIES} of them are answered as a real Prometheus answers them`, async (context) => {
    skipInScaleOut(context, 'what VictoriaMetrics answers differently is in test/remote/pushdown.test.ts')
    const met = new Map<string, number>()
    const counts = { same: 0, empty: 0, errors: 0 }
    const failures: string[] = []
    const askNumber = async (number: number): Promise<void> => {
      const draw = randomOf(SEED * 1_000_003 + number)
      const expr = randomQuery(draw, rig.words, 1 + draw(DEPTH))
      const endMs = rig.presentMs - (1 + draw(8)) * 60_000 + rig.residueMs
      const stepMs = [15_000, 30_000, 60_000, 47_000][draw(4)]!
      const asked = draw(2) === 0 ? { expr, endMs } : { expr, endMs, range: { startMs: endMs - 20 * stepMs, stepMs } }
      const { ours, known, why } = await compare(asked)
      if (why !== undefined) {
        const least = await shrunk(asked, why)
        failures.push(
          `${number}: ${least.asked.expr}${asked.range === undefined ? '' : ' as a range'}\n    ${least.why}`,
        )
      } else if (known !== undefined) met.set(known.reason, (met.get(known.reason) ?? 0) + 1)
      else if (ours.kind === 'error') counts.errors++
      else if (ours.byLabels.size === 0) counts.empty++
      else counts.same++
    }
    let next = 0
    const lane = async (): Promise<void> => {
      while (next < QUERIES) await askNumber(next++)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    const explained = [...met].map(([reason, count]) => `${count} x ${reason}`).join('; ')
    process.stdout.write(
      `${QUERIES} queries: ${counts.same} with values, ${counts.empty} empty, ${counts.errors} errors of both` +
        (explained === '' ? '\n' : `; explained: ${explained}\n`),
    )
    expect(failures, failures.slice(0, 30).join('\n')).toEqual([])
    expect(counts.same).toBeGreaterThan(QUERIES / 2)
  }, 300_000)
})
