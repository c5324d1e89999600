import { setImmediate } from 'node:timers/promises'
import { messageOf } from '../../src/base/errors.ts'
import { randomOf } from './mutate.ts'
import type { Session, Target } from './target.ts'

export interface FuzzRun {
  /** How many inputs. */
  readonly inputs: number
  readonly seed: number
  /** The number of the first input; 0 when absent. */
  readonly first?: number
  /** Called with each finding; without it the first one is thrown. */
  readonly onFinding?: (finding: FuzzFinding) => void
  /** Called before each batch with the number of its first input. */
  readonly onBatch?: (number: number) => void
  /** Ends the run before the next batch; the report is of the inputs until then. */
  readonly isStopped?: () => boolean
}

export interface FuzzReport {
  readonly inputs: number
  readonly outcomes: ReadonlyMap<string, number>
  readonly durationMs: number
  /** The slowest batch: the number of its first input, and its duration. */
  readonly slowest: { readonly number: number; readonly durationMs: number }
  readonly findings: number
}

/** An input for which the claim of its target does not hold. */
export class FuzzFinding extends Error {
  override readonly name = 'FuzzFinding'
}

const PAUSE_EVERY_MS = 200

/** Checks inputs of one target. Throws a `FuzzFinding` unless `onFinding` takes it. */
export async function runTarget<Input>(target: Target<Input>, run: FuzzRun): Promise<FuzzReport> {
  const { seed, first = 0, inputs } = run
  const { batch = 1, sessionInputs = Infinity } = target
  const outcomes = new Map<string, number>()
  const isStopped = (): boolean => run.isStopped?.() ?? false
  let checked = 0
  let slowest = { number: first, durationMs: 0 }
  let findings = 0
  const startedMs = performance.now()
  let pausedMs = startedMs
  for (let from = first; from < first + inputs && !isStopped(); from += sessionInputs) {
    const session = await target.open()
    const end = Math.min(first + inputs, from + sessionInputs)
    try {
      for (let number = from; number < end && !isStopped(); number += batch) {
        // Targets in this process wait for nothing: without a pause, no signal is noticed.
        if (performance.now() - pausedMs > PAUSE_EVERY_MS) {
          await setImmediate()
          pausedMs = performance.now()
        }
        run.onBatch?.(number)
        const numbers = Array.from({ length: Math.min(batch, end - number) }, (_, i) => number + i)
        const drawn = numbers.map((one) => session.make(randomOf(seed * 1_000_003 + one)))
        const batchMs = performance.now()
        try {
          for (const outcome of await session.check(drawn)) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        } catch (thrown) {
          // A signal that ends the run ends the browser too.
          if (isStopped()) break
          const isAlive = (): void => run.onBatch?.(number)
          const finding = await findingOf(target, session, drawn, { seed, number, thrown, isAlive })
          if (run.onFinding === undefined) throw finding
          findings++
          run.onFinding(finding)
        }
        checked += drawn.length
        const durationMs = performance.now() - batchMs
        if (durationMs > slowest.durationMs) slowest = { number, durationMs }
      }
    } finally {
      await session.close()
    }
  }
  if (run.onFinding === undefined) refuseVacuous(target, outcomes, inputs)
  return { inputs: checked, outcomes, durationMs: performance.now() - startedMs, slowest, findings }
}

interface Failure {
  readonly seed: number
  /** Of the first input of the batch. */
  readonly number: number
  readonly thrown: unknown
  /** Called before each check. */
  readonly isAlive: () => void
}

/** Checks that are spent on finding a simpler input. */
const SIMPLER_CHECKS_MAX = 2000

async function findingOf<Input>(
  target: Target<Input>,
  session: Session<Input>,
  drawn: readonly Input[],
  { seed, number, thrown, isAlive }: Failure,
): Promise<FuzzFinding> {
  const again = (first: number, inputs: number): string =>
    `npm run fuzz -- --target ${target.name} --seed ${seed} --first ${first} --inputs ${inputs}`
  const fails = async (input: Input): Promise<unknown> => {
    isAlive()
    try {
      await session.check([input])
      return undefined
    } catch (cause) {
      return cause
    }
  }
  for (const [i, input] of drawn.entries()) {
    const cause = drawn.length === 1 ? thrown : await fails(input)
    if (cause === undefined) continue
    const smallest = await simplest(session, input, async (one) => (await fails(one)) !== undefined)
    const lines = [
      `${target.name}: input ${number + i} of seed ${seed}: ${messageOf(cause)}`,
      `  claim: ${target.claim}`,
      `  input: ${session.show(smallest)}`,
      `  again: ${again(number + i, 1)}`,
    ]
    return new FuzzFinding(lines.join('\n'), { cause })
  }
  const text = `${target.name}: inputs ${number} to ${number + drawn.length - 1} of seed ${seed}, none of them alone`
  return new FuzzFinding(`${text}: ${messageOf(thrown)}\n  again: ${again(number, drawn.length)}`, { cause: thrown })
}

async function simplest<Input>(
  session: Session<Input>,
  input: Input,
  fails: (input: Input) => Promise<boolean>,
): Promise<Input> {
  let smallest = input
  let checks = 0
  for (let isSimpler = true; isSimpler;) {
    isSimpler = false
    for (const simpler of session.simpler(smallest)) {
      if (++checks > SIMPLER_CHECKS_MAX) return smallest
      if (!(await fails(simpler))) continue
      smallest = simpler
      isSimpler = true
      break
    }
  }
  return smallest
}

function refuseVacuous(target: Target, outcomes: ReadonlyMap<string, number>, inputs: number): void {
  // A few inputs that are drawn again say nothing about shares.
  if (inputs < 100) return
  for (const [outcome, least] of Object.entries(target.shares ?? {})) {
    const share = (outcomes.get(outcome) ?? 0) / inputs
    if (share >= least) continue
    const got = [...outcomes].map(([name, count]) => `${name} ${count}`).join(', ')
    throw new Error(`${target.name}: got ${share * 100} % ${outcome}, want at least ${least * 100} %: ${got}`)
  }
}
