import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NOW_MS } from '../store/temp-store.ts'
import { keyOf, type Answer, type ReceivedSample } from './remote-receiver.ts'
import { Rig } from './rig.ts'

// Whatever fails between a sample and the remote side, and in whatever order: the same set of samples is there at the end.

/** The long form, started manually: `DAYTWO_FORWARD_RUNS=300`. */
const RUNS = Number(process.env['DAYTWO_FORWARD_RUNS'] ?? 12)

/** What happens to a request, in place of an answer of success. */
const FAILURES: readonly Answer[] = [
  { status: 500 },
  { status: 503, headers: { 'retry-after': '1' } },
  { status: 429 },
  { status: 502 },
  { status: 401 },
  { status: 204, isBroken: true },
  // Stored, and the sender does not know.
  { status: 500, stores: true },
  { status: 204, isBroken: true, stores: true },
  { status: 204, hangs: true, stores: true },
]

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('append' as const), series: fc.integer({ min: 1, max: 12 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('fail' as const), failure: fc.nat(FAILURES.length - 1) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 8000 }) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'store progress' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'forwarder dies' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'remote restarts' as const }) },
)

test.each([true, false])(
  'any interleaving of failures ends with the same samples (start time known: %s)',
  async (isKnown) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 15 }), async (steps) => {
        const rig = await Rig.start({ connections: 3, timeoutMs: 150 })
        const { receiver } = rig
        receiver.startSeconds = isKnown ? 1000 : undefined
        const isBad = ({ series, timeMs }: ReceivedSample): boolean => series.includes('s7,') && timeMs % 3000 === 0
        let failures: Answer[] = []
        receiver.decide = (samples) => {
          const failure = failures.shift()
          const isRefused = samples.some(isBad)
          if (failure !== undefined) return { ...failure, stores: failure.stores === true && !isRefused }
          return isRefused ? { status: 400, text: 'invalid' } : { status: 204 }
        }
        const expected = new Set<string>()
        let timeMs = NOW_MS
        /** What it has not written to its disk is lost. */
        let durable = 0
        for (const one of steps) {
          switch (one.kind) {
            case 'append': {
              timeMs += 1000
              const samples = Array.from({ length: one.series }, (_, i) => [`s${i}`, timeMs, i] as const)
              await rig.append(samples)
              for (const [name, atMs] of samples)
                if (!(name === 's7' && atMs % 3000 === 0)) expected.add(`${name} ${atMs}`)
              break
            }
            case 'fail':
              failures.push(FAILURES[one.failure]!)
              break
            case 'pass': {
              const untilMs = rig.clock.nowMs() + one.ms
              await rig.until('time to pass', () => rig.clock.nowMs() >= untilMs)
              durable = receiver.stored.length
              break
            }
            case 'store progress':
              await rig.storeProgress()
              break
            case 'forwarder dies':
              rig.restartForwarder()
              break
            case 'remote restarts':
              await receiver.pause()
              receiver.stored = receiver.stored.slice(0, durable)
              if (isKnown) receiver.startSeconds = receiver.startSeconds! + 100
              else {
                // Without a start time, only a request that fails shows it.
                timeMs += 1000
                await rig.append([['s0', timeMs, 0]])
                expected.add(`s0 ${timeMs}`)
                await rig.until('a failure', () => rig.forwarder.status().isFailing)
              }
              await receiver.resume()
              break
          }
        }
        failures = []
        const found = () =>
          new Set(receiver.stored.map((sample) => `${/__name__=(\w+)/.exec(sample.series)![1]} ${sample.timeMs}`))
        await rig.until('the same set of samples', () => {
          const there = found()
          return [...expected].every((sample) => there.has(sample)) && there.size === expected.size
        })
        expect(new Set(receiver.stored.map(keyOf)).size).toBe(expected.size)
        rig.stopForwarder()
        await receiver.close()
        await rig.store.close()
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  },
)
