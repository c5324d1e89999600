/** Unit tests of rules for the API: a thread for each question, one after the other, and none for longer than a minute. */
import type { Clock } from '../base/clock.ts'
import { FleetError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { RuleTests } from '../contract/replay.ts'
import type { RuleTestsData, RuleTestServices } from '../threads/rule-tests-worker.ts'
import { startThread } from '../threads/start-thread.ts'

/** Questions that wait; more are told to come back. */
const WAITING_MAX = 4
const RUN_MS_MAX = 60_000

export type RunRuleTests = (alertname: string) => Promise<RuleTests>

export function createRuleTests(data: RuleTestsData, clock: Clock, log: Log): RunRuleTests {
  let last: Promise<unknown> = Promise.resolve()
  /** By alert: those who ask the same get the same. */
  const asked = new Map<string, Promise<RuleTests>>()
  return (alertname) => {
    const under = asked.get(alertname)
    if (under !== undefined) return under
    if (asked.size > WAITING_MAX) {
      throw new FleetError('overloaded', `${asked.size} questions about unit tests of rules wait already`)
    }
    const result = last.then(() => runOnce(data, alertname, clock, log)).finally(() => asked.delete(alertname))
    asked.set(alertname, result)
    last = result.catch(() => undefined)
    return result
  }
}

async function runOnce(data: RuleTestsData, alertname: string, clock: Clock, log: Log): Promise<RuleTests> {
  const thread = await startThread<RuleTestServices>({
    file: 'rule-tests-worker',
    workerData: data,
    log,
    // The call that waits for it fails with the cause.
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
