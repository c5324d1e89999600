/** Unit tests of rules for the API: one thread per request, one request at a time, each for at most a minute. */
import type { Clock } from '../base/clock.ts'
import { FleetError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { createSerialQueue } from '../base/serial-queue.ts'
import type { RuleTests } from '../contract/replay.ts'
import type { RuleTestsData, RuleTestServices } from '../threads/rule-tests-worker.ts'
import { startThread } from '../threads/start-thread.ts'

/** Requests that may wait; further ones are refused as `overloaded`. */
const WAITING_MAX = 4
const RUN_MS_MAX = 60_000

export type RunRuleTests = (alertname: string) => Promise<RuleTests>

export function createRuleTests(data: RuleTestsData, clock: Clock, log: Log): RunRuleTests {
  const inOrder = createSerialQueue()
  /** By alert: requests for the same alert share one run. */
  const requested = new Map<string, Promise<RuleTests>>()
  return (alertname) => {
    const waiting = requested.get(alertname)
    if (waiting !== undefined) return waiting
    if (requested.size > WAITING_MAX) {
      throw new FleetError('overloaded', `${requested.size} questions about unit tests of rules wait already`)
    }
    const result = inOrder(() => runOnce(data, alertname, clock, log)).finally(() => requested.delete(alertname))
    requested.set(alertname, result)
    return result
  }
}

async function runOnce(data: RuleTestsData, alertname: string, clock: Clock, log: Log): Promise<RuleTests> {
  const thread = await startThread<RuleTestServices>({
    file: 'rule-tests-worker',
    workerData: data,
    log,
    // The pending call rejects with the cause.
    onDeath: () => undefined,
  })
  let cancel: () => void = () => undefined
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(RUN_MS_MAX, () => {
      const message = `the unit tests that mention ${alertname} took more than ${RUN_MS_MAX / 1000} s`
      reject(new FleetError('query_timeout', message, { hint: '`daytwo test rules` runs them without a limit' }))
    })
  })
  try {
    return await Promise.race([thread.remote.ruleTests.run(alertname), late])
  } finally {
    cancel()
    await thread.terminate()
  }
}
