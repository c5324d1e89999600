/**
 * Queries and rules on a real store, writer and reader in this process: what rules of 2,000 clusters ask of the head,
 * what dashboards ask of packs. Each is measured twice in the same run: as the query worker evaluates it, on runs, and
 * on the plain path, where the store answers sample columns and nothing is kept between queries.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Labels } from '../src/model/labels.ts'
import type { Queryable } from '../src/model/queryable.ts'
import { createLocalEngine } from '../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../src/promql/engine-options.ts'
import type { QueryEngine, QueryResult } from '../src/promql/query-engine.ts'
import { STORE_DEFAULTS } from '../src/store/options.ts'
import { openReader, type StoreReader } from '../src/store/reader.ts'
import { openWriter, type StoreWriter } from '../src/store/writer.ts'
import { historySeriesOf, SCRAPE_MS, seriesOf, type FleetSeries } from './peers/fleet.ts'
import { FLEET_RULES, KIND_QUERIES, SIX_HOUR_QUERIES, THIRTY_DAY_QUERIES, type RangeQuery } from './peers/queries.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
export const START_MS = 1_787_220_000_000
const RULE_RUNS = 15
const RANGE_RUNS = 5
const HISTORY_STEP_MS = 5 * MINUTE_MS

/** Prints one table. `quick`: a tenth of the clusters. */
export async function run({ quick = false }: { readonly quick?: boolean } = {}): Promise<void> {
  const clusters = quick ? 200 : 2000
  console.log(`${clusters} clusters; CPU ms, median; in brackets how many times the plain path takes`)
  await inStore(async (writer, reader) => {
    const fleet = Array.from({ length: clusters }, (_, cluster) => seriesOf(cluster)).flat()
    const endMs = await fill(writer, fleet, { scrapes: 30, everyMs: SCRAPE_MS, isFlushed: false })
    await reportRules(reader, endMs)
  })
  await inStore(async (writer, reader) => {
    const fleet = Array.from({ length: clusters }, (_, cluster) => queriedSeriesOf(cluster)).flat()
    const endMs = await fill(writer, fleet, { scrapes: 720, everyMs: SCRAPE_MS, isFlushed: true })
    for (const query of [...SIX_HOUR_QUERIES, ...KIND_QUERIES]) await reportRange(reader, query, endMs)
  })
  await inStore(async (writer, reader) => {
    const fleet = Array.from({ length: clusters / 2 }, (_, cluster) => historySeriesOf(cluster)).flat()
    const scrapes = (720 * HOUR_MS) / HISTORY_STEP_MS
    const endMs = await fill(writer, fleet, { scrapes, everyMs: HISTORY_STEP_MS, isFlushed: true })
    for (const query of THIRTY_DAY_QUERIES) await reportRange(reader, query, endMs)
  })
}

/** Of a cluster only what the six-hour queries ask for: the others would only lengthen the filling. */
export function queriedSeriesOf(cluster: number): FleetSeries[] {
  const all = seriesOf(cluster)
  return [...all.slice(0, 3), ...all.slice(4, 10), ...all.slice(11, 13)]
}

interface Filling {
  readonly scrapes: number
  readonly everyMs: number
  readonly isFlushed: boolean
}

/** Answers the time of the last scrape. */
export async function fill(writer: StoreWriter, fleet: readonly FleetSeries[], filling: Filling): Promise<number> {
  const { scrapes, everyMs, isFlushed } = filling
  const refs = Uint32Array.from(fleet, ({ labelFields }) => writer.appender.resolve(decodeLabels(labelFields))!)
  let timeMs = START_MS
  for (let scrape = 0; scrape < scrapes; scrape++) {
    timeMs = START_MS + scrape * everyMs
    const sent = Math.round((scrape * everyMs) / SCRAPE_MS)
    for (let i = 0; i < refs.length; i++) writer.appender.append(refs[i]!, timeMs, fleet[i]!.valueAt(sent))
    await writer.appender.commit()
    if (isFlushed && timeMs % (30 * MINUTE_MS) === 0) await writer.maintain(timeMs)
  }
  if (isFlushed) await writer.maintain(timeMs + 5 * HOUR_MS)
  return timeMs
}

async function reportRules(reader: StoreReader, endMs: number): Promise<void> {
  const [fast, plain] = enginesOf(reader)
  let totalMs = 0
  let plainTotalMs = 0
  for (const expr of FLEET_RULES) {
    const ask = (engine: QueryEngine) => (turn: number) => engine.instant({ expr, timeMs: endMs - (turn % 5) * 1000 })
    compareAnswers(expr, await ask(fast)(0), await ask(plain)(0))
    const cpuMs = await measure(ask(fast), RULE_RUNS)
    const plainMs = await measure(ask(plain), RULE_RUNS)
    print(cpuMs, plainMs, expr)
    totalMs += cpuMs
    plainTotalMs += plainMs
  }
  print(totalMs, plainTotalMs, `all ${FLEET_RULES.length} rules`)
}

async function reportRange(reader: StoreReader, query: RangeQuery, endMs: number): Promise<void> {
  const { expression: expr, stepMs, rangeMs } = query
  const [fast, plain] = enginesOf(reader)
  const ask = (engine: QueryEngine) => (turn: number) => {
    const untilMs = endMs - (turn % 5) * stepMs
    return engine.range({ expr, startMs: untilMs - rangeMs, endMs: untilMs, stepMs })
  }
  compareAnswers(expr, await ask(fast)(0), await ask(plain)(0))
  print(await measure(ask(fast), RANGE_RUNS), await measure(ask(plain), RANGE_RUNS), query.name)
}

/** As the query worker has it, and on the plain path. */
function enginesOf(reader: StoreReader): readonly [QueryEngine, QueryEngine] {
  const plain: Queryable = {
    select: (request) => reader.select(request),
    series: (matchers, range) => reader.series(matchers, range),
    labelNames: (matchers, range) => reader.labelNames(matchers, range),
    labelValues: (name, matchers, range) => reader.labelValues(name, matchers, range),
  }
  const options = { ...DEFAULT_ENGINE_OPTIONS, samplesMax: 1e9 }
  const nowMs = (): number => performance.now()
  return [
    createLocalEngine({ queryable: reader, options, nowMs }),
    createLocalEngine({ queryable: plain, options, nowMs }),
  ]
}

function compareAnswers(expr: string, got: QueryResult, want: QueryResult): void {
  const text = ({ value }: QueryResult): string =>
    JSON.stringify(
      value.type === 'vector'
        ? value.samples.map((sample) => [sample.labels.key, sample.value]).sort()
        : value.type === 'matrix'
          ? value.series.map((one) => [one.labels.key, ...one.timesMs, ...one.values])
          : value,
    )
  if (text(got) !== text(want)) throw new Error(`the two paths answer differently: ${expr}`)
}

function print(cpuMs: number, plainMs: number, text: string): void {
  console.log(`  ${cpuMs.toFixed(1).padStart(8)} ms  (${(plainMs / cpuMs).toFixed(1).padStart(5)} x)  ${text}`)
}

async function measure(ask: (turn: number) => Promise<unknown>, runs: number): Promise<number> {
  const runsMs: number[] = []
  for (let turn = 0; turn < runs; turn++) {
    const before = process.cpuUsage()
    await ask(turn)
    const { user, system } = process.cpuUsage(before)
    runsMs.push((user + system) / 1000)
  }
  return runsMs.sort((a, b) => a - b)[Math.floor(runs / 2)]!
}

export async function inStore(work: (writer: StoreWriter, reader: StoreReader) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-bench-'))
  try {
    const options = { ...STORE_DEFAULTS, dir }
    const writer = openWriter(options, START_MS)
    const reader = openReader(options, writer.share())
    await work(writer, reader)
    reader.close()
    await writer.close()
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The label fields of a WriteRequest: each a message of two short texts. */
function decodeLabels(fields: Uint8Array): Labels {
  const pairs: [string, string][] = []
  const text = (at: number): string => Buffer.from(fields.subarray(at + 2, at + 2 + fields[at + 1]!)).toString()
  for (let at = 0; at < fields.length; at += 2 + fields[at + 1]!) {
    const nameAt = at + 2
    pairs.push([text(nameAt), text(nameAt + 2 + fields[nameAt + 1]!)])
  }
  return Labels.fromPairs(pairs)
}
