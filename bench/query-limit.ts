/**
 * How long a query lives that would read far more samples than it may: counters that change with each scrape, twice as many
 * as the limit allows (fifty million), in a real store. A query over ten times as many ends at the same place: counting
 * stops where the limit is passed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FleetError } from '../src/base/errors.ts'
import { Labels } from '../src/model/labels.ts'
import { createLocalEngine } from '../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../src/promql/engine-options.ts'
import type { QueryEngine } from '../src/promql/query-engine.ts'
import { STORE_DEFAULTS } from '../src/store/options.ts'
import { openReader } from '../src/store/reader.ts'
import { openWriter } from '../src/store/writer.ts'

const START_MS = 1_787_220_000_000
const SCRAPE_MS = 30_000
const HOUR_MS = 3_600_000
const DAYS = 9
const QUERIES = [
  'x_total',
  'sum(rate(x_total[5m]))',
  'max_over_time(x_total[1h])',
  'quantile_over_time(0.9, x_total[1h])',
  'deriv(x_total[1h])',
  'sum by (cluster) (x_total) / sum by (cluster) (x_total offset 1h)',
  // Each of the three alone is within the limit, all of them are not.
  ['c1.*', 'c2.*', 'c3.*'].map((clusters) => `sum(rate(x_total{cluster=~"${clusters}"}[5m]))`).join(' + '),
]

/** Prints one table. `quick`: a tenth of the series, and of the limit. */
export async function run({ quick = false }: { readonly quick?: boolean } = {}): Promise<void> {
  const seriesCount = quick ? 400 : 4000
  const samplesMax = DEFAULT_ENGINE_OPTIONS.samplesMax / (quick ? 10 : 1)
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-bench-'))
  try {
    const options = { ...STORE_DEFAULTS, dir }
    const writer = openWriter(options, START_MS)
    const refs = Array.from({ length: seriesCount }, (_, i) =>
      writer.appender.resolve(Labels.of({ __name__: 'x_total', cluster: `c${i}` }))!,
    )
    const scrapes = (DAYS * 24 * HOUR_MS) / SCRAPE_MS
    for (let scrape = 0; scrape < scrapes; scrape++) {
      const timeMs = START_MS + scrape * SCRAPE_MS
      refs.forEach((ref, i) => writer.appender.append(ref, timeMs, scrape * (i + 1)))
      await writer.appender.commit()
      if (timeMs % HOUR_MS === 0) await writer.maintain(timeMs)
    }
    const endMs = START_MS + scrapes * SCRAPE_MS
    for (let hour = 0; hour < 20; hour++) await writer.maintain(endMs + 4 * HOUR_MS)
    const reader = openReader(options, writer.share())
    const engineOptions = { ...DEFAULT_ENGINE_OPTIONS, samplesMax, rollupRunsMin: Infinity }
    const engine = createLocalEngine({ queryable: reader, options: engineOptions, nowMs: () => performance.now() })
    console.log(`${(seriesCount * scrapes) / 1e6} M samples, ${samplesMax / 1e6} M may be read; CPU ms`)
    for (const expr of QUERIES) {
      const refused = await costOf(engine, expr, START_MS, endMs)
      console.log(`${refused.cpuMs.toFixed(0).padStart(7)} ms  ${refused.outcome.padEnd(14)}  ${expr}`)
    }
    reader.close()
    await writer.close()
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function costOf(
  engine: QueryEngine,
  expr: string,
  startMs: number,
  endMs: number,
): Promise<{ readonly cpuMs: number; readonly outcome: string }> {
  const before = process.cpuUsage()
  let outcome = 'answered'
  try {
    await engine.range({ expr, startMs, endMs, stepMs: HOUR_MS })
  } catch (thrown) {
    if (!(thrown instanceof FleetError)) throw thrown
    outcome = thrown.code
  }
  const { user, system } = process.cpuUsage(before)
  return { cpuMs: (user + system) / 1000, outcome }
}
