/**
 * The last notification of each group to each receiver, from which follows whether a message is sent. Entries are durable
 * before a message counts as sent, so a restart repeats at most the messages that were being sent.
 */
import { eachInSteps, mapInSteps, type Steps } from '../base/thread-slices.ts'
import type { NotificationLogEntry } from '../model/notification-log.ts'
import { ZERO_TIME_MS } from '../template/go-time.ts'
import type { IntegrationConfig } from './config/receiver-config.ts'
import type { MessageAlert } from './message.ts'
import {
  decide,
  type NotifyReason,
  type Cycle,
  type Flush,
  type PipelineState,
  type Stage,
  type PipelineAlert,
} from './pipeline-state.ts'

/** A message is retried at least this long. */
const TRIED_MS_MIN = 10_000
/** Beyond it a webhook's message is a text of more than 10 MB; `truncatedAlerts` has the number of the rest. */
export const MESSAGE_ALERTS_MAX = 10_000
/** For receivers whose message is made by a template, in one piece; a user reads a few of them. */
export const TEMPLATE_ALERTS_MAX = 2000
/** An entry is retained for this many repeat intervals. */
const LOG_REPEATS = 2

/** For each integration of a group that is due: a message when there is something to send. */
export const deduplicated: Stage = function* (state, cycle) {
  const { nowMs } = cycle
  for (const flush of cycle.flushes) {
    yield
    const { group, passing } = flush
    if (passing.length === 0) continue
    const { receiver } = group.route
    const verdicts: Verdict[] = []
    for (const [index, integration] of (state.config.receivers.get(receiver)?.integrations ?? []).entries()) {
      verdicts.push(yield* deduplicate(state, cycle, flush, integration, index))
    }
    const shown = verdicts.find(({ sends }) => sends) ?? verdicts[0] ?? hold('no_receiver')
    yield* eachInSteps(passing, ({ fingerprint }) => {
      decide(state, fingerprint, { receiver, sends: shown.sends, reason: shown.reason, atMs: nowMs })
    })
    group.waiting = verdicts.filter(({ sends }) => sends).length
  }
}

function* deduplicate(
  state: PipelineState,
  { nowMs, notifications, logged }: Cycle,
  { group, passing }: Flush,
  integration: IntegrationConfig,
  index: number,
): Steps<Verdict> {
  const { route, key: groupKey } = group
  const { receiver, groupIntervalMs } = route
  const { sendResolved, kind } = integration
  const key = logKeyOf(groupKey, receiver, kind, index)
  // An Alertmanager resolves alerts that are not repeated, so each flush repeats them.
  const repeatIntervalMs = kind === 'alertmanager' ? groupIntervalMs : route.repeatIntervalMs
  const firing: PipelineAlert[] = []
  const now = { firing: new Set<string>(), resolved: new Set<string>() }
  yield* eachInSteps(passing, (alert) => {
    if (alert.state === 'firing') {
      firing.push(alert)
      now.firing.add(alert.fingerprint)
    } else now.resolved.add(alert.fingerprint)
  })
  const entry = state.notified.get(key)
  const live = entry !== undefined && entry.expiresAtMs > nowMs ? entry : undefined
  const verdict = yield* dedupe(live, now, { sendResolved, repeatIntervalMs, nowMs })
  const expiresAtMs = nowMs + LOG_REPEATS * repeatIntervalMs
  const logEntry = { key, atMs: nowMs, firing: [...now.firing], resolved: [...now.resolved], expiresAtMs }
  if (verdict.sends) {
    const sent = sendResolved ? passing : firing
    const shown = sent.slice(0, alertsMaxOf(kind))
    const alerts = yield* mapInSteps(shown, (alert) => messageAlert(alert, nowMs))
    const truncatedAlerts = sent.length - shown.length
    const { externalUrl } = state
    notifications.push({
      state,
      groupId: group.id,
      receiver,
      index,
      integration,
      message: {
        ...{ receiver, groupKey, groupLabels: group.labels, alerts, truncatedAlerts },
        ...{ externalUrl, nowMs, repeatIntervalMs },
      },
      reason: verdict.reason,
      logEntry,
      ...(entry === undefined ? {} : { afterMs: entry.atMs }),
      expiresAtMs: nowMs + Math.max(groupIntervalMs, TRIED_MS_MIN),
    })
  } else if (verdict.logs) {
    state.notified.set(key, logEntry)
    logged.push(logEntry)
  }
  return verdict
}

function messageAlert(alert: PipelineAlert, nowMs: number): MessageAlert {
  const status = alert.state === 'resolved' ? 'resolved' : 'firing'
  return {
    status,
    labels: alert.labels,
    annotations: alert.annotations,
    startsAtMs: alert.firedAtMs ?? alert.activeAtMs,
    endsAtMs: status === 'resolved' ? (alert.resolvedAtMs ?? nowMs) : ZERO_TIME_MS,
    generatorUrl: alert.generatorUrl,
    fingerprint: alert.fingerprint,
    value: Number.isNaN(alert.value) ? undefined : alert.value,
    threshold: alert.threshold,
  }
}

/** Key of a log entry: the same after a restart, while the receiver's list of integrations keeps its order. */
function logKeyOf(groupKey: string, receiver: string, kind: string, index: number): string {
  return JSON.stringify([groupKey, receiver, kind, index])
}

/** An Alertmanager groups them itself, so it gets all. */
function alertsMaxOf(kind: IntegrationConfig['kind']): number {
  if (kind === 'alertmanager') return Infinity
  return kind === 'webhook' ? MESSAGE_ALERTS_MAX : TEMPLATE_ALERTS_MAX
}

interface Verdict {
  readonly sends: boolean
  /** The log changes, even when nothing is sent. */
  readonly logs: boolean
  readonly reason: NotifyReason
}

const hold = (reason: NotifyReason): Verdict => ({ sends: false, logs: false, reason })
const send = (reason: NotifyReason): Verdict => ({ sends: true, logs: true, reason })

/** Whether a receiver is notified of these alerts, given its last notification. */
function* dedupe(
  entry: NotificationLogEntry | undefined,
  now: { readonly firing: ReadonlySet<string>; readonly resolved: ReadonlySet<string> },
  options: { readonly sendResolved: boolean; readonly repeatIntervalMs: number; readonly nowMs: number },
): Steps<Verdict> {
  if (entry === undefined) return now.firing.size > 0 ? send('first') : hold('only_resolved')
  if (!(yield* isSubset(now.firing, entry.firing))) return send(entry.firing.length === 0 ? 'first' : 'new_alerts')
  if (now.firing.size === 0) {
    if (entry.firing.length === 0) return hold('only_resolved')
    return options.sendResolved ? send('resolved') : { sends: false, logs: true, reason: 'cleared' }
  }
  if (options.sendResolved && !(yield* isSubset(now.resolved, entry.resolved))) return send('resolved')
  // A clock that was set back must not suppress notifications.
  const sinceMs = Math.abs(options.nowMs - entry.atMs)
  return sinceMs >= options.repeatIntervalMs ? send('repeat_due') : hold('nothing_new')
}

/** @param whole without repetitions */
function* isSubset(part: ReadonlySet<string>, whole: readonly string[]): Steps<boolean> {
  let found = 0
  yield* eachInSteps(whole, (item) => {
    if (part.has(item)) found++
  })
  return found === part.size
}
