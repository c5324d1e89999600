/**
 * The rule engine, which runs on the query worker, and its alerts, which main holds in memory: the API, notifications
 * and the alert history read them here, so no request copies them from the other thread.
 */
import type { RuleReader } from '../api/prometheus/rules.ts'
import { createSerialQueue } from '../base/serial-queue.ts'
import { inSlices, ownTurn } from '../base/thread-slices.ts'
import { AlertIndex, joinedUpdate } from '../rules/alert-update.ts'
import type { EvaluationSummary } from '../rules/rule-status.ts'
import type { AppThreads } from '../threads/app-threads.ts'

type RuleServices = AppThreads['query']['rules']

/** `alerts` is up to date when a call that may change them has resolved. */
export interface RemoteRules extends RuleReader, Pick<RuleServices, 'restore' | 'reload' | 'reread'> {
  evaluate(nowMs: number): Promise<EvaluationSummary>
}

export function createRemoteRules(remote: RuleServices): RemoteRules {
  const index = new AlertIndex()
  const inOrder = createSerialQueue()
  const readUpdate = async (): Promise<void> => {
    const parts = [await remote.alertUpdatePart()]
    while (!parts.at(-1)!.isLast) {
      // A part that arrives while the one before it is read is read in the same turn of the event loop, and so on.
      await ownTurn()
      parts.push(await remote.alertUpdatePart())
    }
    await inSlices(index.apply(joinedUpdate(parts)), ownTurn)
  }
  const withAlerts = async <T>(call: Promise<T>): Promise<T> => {
    const answer = await call
    await inOrder(readUpdate)
    return answer
  }
  return {
    restore: (nowMs) => withAlerts(remote.restore(nowMs)),
    evaluate: (nowMs) => withAlerts(remote.evaluate(nowMs)),
    reload: (files) => withAlerts(remote.reload(files)),
    reread: (groupKeys, nowMs) => withAlerts(remote.reread(groupKeys, nowMs)),
    groups: () => remote.groups(),
    alerts: () => index.all(),
  }
}
