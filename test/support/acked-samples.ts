/** Senders that know what was acknowledged, and the check that all of it is stored, once. */
import { writeBody } from './remote-write.ts'
import { instantQuery } from './server.ts'

const SERIES_PER_REQUEST = 50
/** Old times on purpose: with a long retention samples at the epoch are valid. */
const STEP_MS = 1000

/** Mulberry32: the same kills in every run. */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export interface Sender {
  readonly name: string
  /** Steps whose request was answered 204. */
  readonly acked: Set<number>
  nextStep: number
}

export function createSenders(count: number): readonly Sender[] {
  return Array.from({ length: count }, (_, i) => ({ name: `cluster-${i}`, acked: new Set(), nextStep: 0 }))
}

export function ackedBy(senders: readonly Sender[]): number {
  return senders.reduce((sum, sender) => sum + sender.acked.size, 0)
}

const valueAt = (step: number, series: number): number => step * 1000 + series

export function bodyOf(sender: Sender, step: number): Uint8Array {
  return writeBody(
    Array.from({ length: SERIES_PER_REQUEST }, (_, series) => ({
      labels: { __name__: 'crash_total', cluster: sender.name, series: String(series) },
      samples: [{ timeMs: step * STEP_MS, value: valueAt(step, series) }],
    })),
  )
}

/** Every acknowledged sample, read back with its value; once each, because a range answers one value a step. */
export async function missing(url: string, sender: Sender): Promise<readonly string[]> {
  const lost: string[] = []
  const lastStep = sender.nextStep
  const samples = await instantQuery(
    url,
    `count_over_time(crash_total{cluster="${sender.name}"}[10y])`,
    lastStep * STEP_MS,
  )
  const sums = await instantQuery(url, `sum_over_time(crash_total{cluster="${sender.name}"}[10y])`, lastStep * STEP_MS)
  const sumOf = new Map(sums.map(({ metric, value }) => [metric['series'], Number(value[1])]))
  for (const { metric, value } of samples) {
    const series = Number(metric['series'])
    // The last step may be there without having been acknowledged: its answer was cut off.
    const stored = Number(value[1])
    const isLastThere = stored === sender.acked.size + 1
    const want = [...sender.acked].reduce((sum, step) => sum + valueAt(step, series), 0)
    const got = (sumOf.get(metric['series']) ?? 0) - (isLastThere ? valueAt(lastStep, series) : 0)
    if ((stored !== sender.acked.size && !isLastThere) || got !== want) {
      lost.push(`${sender.name} series ${series}: ${stored} of ${sender.acked.size} samples, sum ${got}, want ${want}`)
    }
  }
  if (sender.acked.size > 0 && samples.length !== SERIES_PER_REQUEST)
    lost.push(`${sender.name}: ${samples.length} series`)
  return lost
}
