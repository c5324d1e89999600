import { expect, test } from 'vitest'
import type { Queryable } from '../../src/model/queryable.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import type { QueryValue } from '../../src/promql/query-engine.ts'
import { openDatabaseForReading } from '../../src/store/database.ts'
import { STORE_DEFAULTS } from '../../src/store/options.ts'
import { openReader } from '../../src/store/reader.ts'
import { openSpansForReading } from '../../src/store/spans/span-reader.ts'
import { openWriter } from '../../src/store/writer.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'
import { spansOf } from '../support/read-spans.ts'
import { startChild } from './child.ts'
import { compiled } from './compiled.ts'
import { tempDir } from './temp-store.ts'
import { faultsOf } from './work-check.ts'
import {
  appendBatch,
  BATCHES_PER_TRACE,
  CRASH_OPTIONS,
  SAMPLES_PER_BATCH,
  START_MS,
  workLabels,
  workNowMs,
  workSample,
  workSpans,
  workTraceId,
} from './workload.ts'

const CHILD = compiled('crash-child.ts')
/** 200 take some minutes, and are for the hand: DAYTWO_CRASH_KILLS=200 npx vitest run test/store/crash.test.ts */
const KILLS = Number(process.env['DAYTWO_CRASH_KILLS'] ?? 12)
/** Each check reads all that was written since the first kill: a directory is left before that takes long. */
const KILLS_PER_DIRECTORY = 12
const LANES = 2

/** Numbers that look random and are the same in each run. */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** What is known of one directory. */
interface Life {
  readonly dir: string
  /** The last batch that was acknowledged. */
  acked: number
  flushes: number
  kills: number
  /** Selectors that rollups answered in the checks. */
  rollups: number
}

/** Starts the load where it was last acknowledged, as its sender would, and kills it after some lines. */
async function runAndKill(life: Life, linesBeforeKill: number): Promise<void> {
  const child = startChild(CHILD, [life.dir, String(life.acked + 1)])
  let flushes = 0
  const take = (line: string): void => {
    const [what, number] = line.split(' ')
    if (what === 'acked') life.acked = Number(number)
    if (what === 'flushes') flushes = Number(number)
  }
  for (let i = 0; i <= linesBeforeKill; i++) {
    const line = await child.line()
    if (line === undefined) throw new Error(`the child ended by itself: ${(await child.ended()).stderr}`)
    take(line)
  }
  await child.kill()
  // What it had written before it died counts as acknowledged too.
  for (let line = await child.line(); line !== undefined; line = await child.line()) take(line)
  life.flushes += flushes
  life.kills++
}

/** Opens what a kill left, and holds it against the load; `use` may do more with it. */
async function check(
  life: Life,
  use?: (opened: { writer: ReturnType<typeof openWriter>; reader: ReturnType<typeof openReader> }) => Promise<void>,
): Promise<void> {
  const options = { ...STORE_DEFAULTS, dir: life.dir, ...CRASH_OPTIONS }
  const writer = openWriter(options, workNowMs(life.acked * SAMPLES_PER_BATCH))
  const reader = openReader(options, writer.share())
  try {
    const read = reader.select({ matchers: [], fromMs: -Infinity, toMs: Infinity, maxSamples: 100_000_000 })
    expect(faultsOf(read, life.acked, life.acked + 1)).toEqual([])
    await checkRollups(life, reader)
    await checkSpans(life)
    await use?.({ writer, reader })
  } finally {
    reader.close()
    await writer.close()
  }
}

/** Spans of every batch that was acknowledged are there, whole; of the one after it all or none. */
async function checkSpans({ dir, acked }: Life): Promise<void> {
  const reader = openSpansForReading(dir)
  try {
    const batches = new Map<number, number>()
    for (let first = 0; first <= acked + 1; first += BATCHES_PER_TRACE) {
      for (const { flags: batch } of await spansOf(reader, workTraceId(first))) {
        batches.set(batch, (batches.get(batch) ?? 0) + 1)
      }
    }
    const next = batches.get(acked + 1)
    if (next !== undefined) expect(next).toBe(workSpans(acked + 1).length)
    batches.delete(acked + 1)
    expect(batches).toEqual(new Map(Array.from({ length: acked + 1 }, (_, batch) => [batch, workSpans(batch).length])))
  } finally {
    reader.close()
  }
}

const EXPRESSIONS = [
  'work',
  'count_over_time(work[5m])',
  'increase(work[10m])',
  'changes(work[30m])',
  'avg_over_time(work{series=~"[0-9]*[13579]"}[10m])',
  'sum by (cluster) (present_over_time(work[5m]))',
] as const

async function answers(queryable: Queryable, lastMs: number): Promise<readonly QueryValue[]> {
  const engine = createLocalEngine({ queryable, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => 0 })
  const range = { startMs: START_MS, endMs: lastMs, stepMs: 60_000 }
  return Promise.all(EXPRESSIONS.map(async (expr) => (await engine.range({ expr, ...range })).value))
}

/** Rollups say what the samples say, whatever was killed while they were made or compacted. */
async function checkRollups(life: Life, reader: ReturnType<typeof openReader>): Promise<void> {
  const plain: Queryable = {
    select: (request) => reader.select(request),
    selectRuns: (request) => reader.selectRuns(request),
    series: (matchers, range) => reader.series(matchers, range),
    labelNames: (matchers, range) => reader.labelNames(matchers, range),
    labelValues: (name, matchers, range) => reader.labelValues(name, matchers, range),
  }
  const rolled: Queryable = {
    ...plain,
    selectRollup: (request) => {
      const selection = reader.selectRollup(request)
      if (selection !== undefined) life.rollups++
      return selection
    },
  }
  const [got, want] = await Promise.all([rolled, plain].map((queryable) => bucketAnswers(queryable, life)))
  expect(got).toEqual(want)
}

function bucketAnswers(queryable: Queryable, life: Life): Promise<readonly QueryValue[]> {
  // Rollups are read however few samples there are.
  const options = { ...DEFAULT_ENGINE_OPTIONS, rollupRunsMin: 0 }
  const engine = createLocalEngine({ queryable, options, nowMs: () => 0 })
  const stepMs = 300_000
  const startMs = Math.ceil(START_MS / stepMs) * stepMs
  const range = { startMs, endMs: Math.max(startMs, workNowMs((life.acked + 2) * SAMPLES_PER_BATCH)), stepMs }
  return Promise.all(BUCKET_EXPRESSIONS.map(async (expr) => (await engine.range({ expr, ...range })).value))
}

const BUCKET_EXPRESSIONS = ['work', 'increase(work[5m])', 'changes(work[15m])', 'min_over_time(work[5m])'] as const

/** A store that kept every sample in memory, up to a batch. */
function oracle(lastBatch: number): MemoryQueryable {
  const memory = new MemoryQueryable()
  for (let number = 0; number < (lastBatch + 1) * SAMPLES_PER_BATCH; number++) {
    const sample = workSample(number)
    // The expressions are about floats.
    if (sample.value === 'histogram') continue
    if (sample.value === 'stale') memory.appendStale(workLabels(sample), sample.timeMs)
    else memory.append(workLabels(sample), sample.timeMs, sample.value)
  }
  return memory
}

/** The sender repeats what was not acknowledged; after that both must answer the same. */
async function checkAnswers(life: Life): Promise<void> {
  await check(life, async ({ writer, reader }) => {
    const lastBatch = life.acked + 1
    appendBatch(writer.appender, lastBatch)
    await writer.appender.commit()
    const lastMs = workNowMs((lastBatch + 1) * SAMPLES_PER_BATCH)
    expect(await answers(reader, lastMs)).toEqual(await answers(oracle(lastBatch), lastMs))
  })
}

/** How far compaction came. */
function levelsIn(dir: string): number {
  const db = openDatabaseForReading(dir)
  try {
    return Number(db.prepare('SELECT max(level) FROM block').pluck().get())
  } finally {
    db.close()
  }
}

/** How often the head was written down whole. */
function checkpointsIn(dir: string): number {
  const db = openDatabaseForReading(dir)
  try {
    return Number(db.prepare('SELECT max(generation) FROM head_checkpoint').pluck().get())
  } finally {
    db.close()
  }
}

async function liveAndDie(seed: number): Promise<void> {
  const life: Life = { dir: tempDir(), acked: -1, flushes: 0, kills: 0, rollups: 0 }
  const random = seeded(seed)
  while (life.kills < KILLS_PER_DIRECTORY) {
    // Now and then while it is still opening, and reading the log that the last kill left.
    await runAndKill(life, random(6) === 0 ? 0 : 1 + random(90))
    await check(life)
  }
  await checkAnswers(life)
  expect(life.acked).toBeGreaterThan(100)
  expect(life.flushes).toBeGreaterThan(20)
  expect(life.rollups).toBeGreaterThan(10)
  expect(levelsIn(life.dir)).toBe(2)
  expect(checkpointsIn(life.dir)).toBeGreaterThan(20)
}

test(
  'after kill -9 at any moment each acknowledged sample is there, once, with its bits, and answers are as if it had lived',
  async () => {
    const directories = Math.ceil(KILLS / KILLS_PER_DIRECTORY)
    await Promise.all(
      Array.from({ length: LANES }, async (_, lane) => {
        for (let number = lane; number < directories; number += LANES) await liveAndDie(20_261_104 + number)
      }),
    )
  },
  60_000 + KILLS * 8000,
)
