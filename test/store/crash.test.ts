import { expect, test } from 'vitest'
import { openDatabaseForReading } from '../../src/store/database.ts'
import { STORE_DEFAULTS } from '../../src/store/options.ts'
import { openReader } from '../../src/store/reader.ts'
import { openWriter } from '../../src/store/writer.ts'
import { startChild } from './child.ts'
import { compiled } from './compiled.ts'
import { tempDir } from './temp-store.ts'
import { faultsOf } from './work-check.ts'
import { CRASH_OPTIONS, SAMPLES_PER_BATCH, workNowMs } from './workload.ts'

const CHILD = compiled('crash-child.ts')
/** 200 take some minutes, and are for the hand: DAYTWO_CRASH_KILLS=200 npx vitest run test/store/crash.test.ts */
const KILLS = Number(process.env['DAYTWO_CRASH_KILLS'] ?? 24)
const LANES = 2

/** Numbers that look random and are the same in each run. */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

interface Lane {
  acked: number
  flushes: number
  kills: number
  /** The highest level of compaction that was seen on the disk. */
  levels: number
}

/** Starts the load where it was last acknowledged, as its sender would, and kills it after some lines. */
async function runAndKill(dir: string, lane: Lane, linesBeforeKill: number): Promise<void> {
  const child = startChild(CHILD, [dir, String(lane.acked + 1)])
  let flushes = 0
  const take = (line: string): void => {
    const [what, number] = line.split(' ')
    if (what === 'acked') lane.acked = Number(number)
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
  lane.flushes += flushes
  lane.kills++
}

async function check(dir: string, lane: Lane): Promise<void> {
  const options = { ...STORE_DEFAULTS, dir, ...CRASH_OPTIONS }
  const writer = openWriter(options, workNowMs(lane.acked * SAMPLES_PER_BATCH))
  const reader = openReader(options, writer.share())
  const read = reader.select({ matchers: [], fromMs: -Infinity, toMs: Infinity, maxSamples: 100_000_000 })
  expect(faultsOf(read, lane.acked, lane.acked + 1)).toEqual([])
  reader.close()
  await writer.close()
  lane.levels = Math.max(lane.levels, levelsIn(dir))
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

test(
  'after kill -9 at any moment each acknowledged sample is there, once, with its bits',
  async () => {
    const lanes = await Promise.all(
      Array.from({ length: LANES }, async (_, number) => {
        const dir = tempDir()
        const random = seeded(20_261_104 + number)
        const lane: Lane = { acked: -1, flushes: 0, kills: 0, levels: 0 }
        while (lane.kills < KILLS / LANES) {
          // Now and then while it is still opening, and reading the log that the last kill left.
          await runAndKill(dir, lane, random(6) === 0 ? 0 : 1 + random(90))
          await check(dir, lane)
        }
        return lane
      }),
    )
    for (const lane of lanes) {
      expect(lane.acked).toBeGreaterThan(100)
      expect(lane.flushes).toBeGreaterThan(20)
      expect(lane.levels).toBe(2)
    }
  },
  60_000 + KILLS * 8000,
)
