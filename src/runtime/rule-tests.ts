/** Unit tests of rules for the API: one run at a time, each in a thread of its own and for at most a minute. */
import type { Clock } from '../base/clock.ts'
import { FleetError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { OwnMetrics, ThreadFailure } from '../base/metrics.ts'
import { createSerialQueue } from '../base/serial-queue.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { RuleTests } from '../contract/replay.ts'
import type { RuleTestsData, RuleTestServices } from '../threads/rule-tests-worker.ts'
import { startThread } from '../threads/start-thread.ts'
import { lookText } from '../threads/thread-stack.ts'

/** Requests that may wait; further ones are refused as `overloaded`. */
const WAITING_MAX = 4
const RUN_MS_MAX = 60_000

export type RunRuleTests = (alertname: string) => Promise<RuleTests>

/**
 * Each alert's tests run once for the loaded content, and requests share the result: as many runs as there are alerts. An
 * alert without a rule has no tests.
 */
export function createRuleTests(run: RunRuleTests, catalog: Pick<Catalog, 'alertNames' | 'pages'>): RunRuleTests {
  const inOrder = createSerialQueue()
  /** By alert, of the present content. */
  let results = new Map<string, Promise<RuleTests>>()
  /** A reload replaces the content as a whole. */
  let of: unknown
  let running = 0
  return (alertname) => {
    if (of !== catalog.pages) [of, results] = [catalog.pages, new Map<string, Promise<RuleTests>>()]
    const known = results.get(alertname)
    if (known !== undefined) return known
    if (!catalog.alertNames.includes(alertname)) return Promise.resolve({ tests: [] })
    if (running > WAITING_MAX) {
      throw new FleetError('overloaded', `${running} requests for unit tests of rules are waiting already`)
    }
    running++
    const started = results
    const result = inOrder(() => run(alertname)).finally(() => running--)
    started.set(alertname, result)
    // A failure is not an answer: the next request tries again.
    result.catch(() => started.delete(alertname))
    return result
  }
}

interface RuleTestThreadParts {
  readonly clock: Clock
  readonly metrics: OwnMetrics
  readonly log: Log
}

/** Runs in a thread that ends with the run, or after a minute. */
export function ruleTestThread(data: RuleTestsData, { clock, metrics, log }: RuleTestThreadParts): RunRuleTests {
  const count = (reason: ThreadFailure): void => {
    metrics.threadFailures.inc({ thread: FILE, reason })
  }
  return async (alertname) => {
    const thread = await startThread<RuleTestServices>({
      file: FILE,
      workerData: data,
      log,
      // The pending call rejects with the cause.
      onDeath: () => {
        count('died')
      },
    })
    let isLate = false as boolean
    let cancel: () => void = () => undefined
    const late = new Promise<never>((_, reject) => {
      cancel = clock.after(RUN_MS_MAX, () => {
        isLate = true
        const message = `the unit tests that mention ${alertname} took more than ${RUN_MS_MAX / 1000} s`
        reject(new FleetError('query_timeout', message, { hint: '`daytwo test rules` runs them without a limit' }))
      })
    })
    try {
      return await Promise.race([thread.remote.ruleTests.run(alertname), late])
    } finally {
      cancel()
      if (isLate) {
        count('hung')
        log.error(
          { thread: FILE, alertname, stack: lookText(await thread.look()) },
          'unit tests of rules timed out; their thread is terminated',
        )
      }
      await thread.terminate()
    }
  }
}

const FILE = 'rule-tests-worker'
