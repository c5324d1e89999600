/**
 * The decisions of the pipeline, in Alertmanager's order: route, group, wait; then, when a group is due, inhibition,
 * upgrades, time intervals, silences, and for each integration what it was told last. Pure but for its own memory:
 * time is an argument, and messages are handed out to be sent by somebody else, who says how it went.
 */
import { compareLabels } from '../model/labels.ts'
import type { Labels } from '../model/labels.ts'
import type { Alert } from '../model/alert.ts'
import type { NotificationLogEntry } from '../model/notification-log.ts'
import { AlertBook } from './alert-book.ts'
import type { BookEntry } from './alert-book.ts'
import type { NotifyConfig } from './config/config-file.ts'
import type { IntegrationConfig } from './config/integration-config.ts'
import { Inhibitor } from './inhibitor.ts'
import { compareAlerts, messageAlert } from './message.ts'
import type { Message } from './message.ts'
import { dedupe, logKeyOf } from './notification-log.ts'
import type { AlertGroup, Decision, PipelineAlert, PipelineMarks, PipelineView } from './pipeline.ts'
import type { SilenceReader, UpgradeReader } from './ports.ts'
import { groupKeyOf, groupLabelsOf, routesFor } from './route.ts'
import type { Route } from './route.ts'
import { namesHoldingAt } from './time-interval.ts'

/** A message that is to be sent, and what to remember once it was. */
export interface Notice {
  /** Who decided it, and is told what became of it. */
  readonly core: PipelineCore
  readonly groupId: string
  readonly receiver: string
  /** Place of the integration in its receiver. */
  readonly index: number
  readonly integration: IntegrationConfig
  readonly message: Message
  readonly reason: string
  readonly logEntry: NotificationLogEntry
  /** Nobody needs it after this: the group decides anew. */
  readonly expiresAtMs: number
}

export interface PipelineParts {
  readonly config: NotifyConfig
  readonly silences: SilenceReader
  readonly upgrades: UpgradeReader
  /** Without a slash at the end. */
  readonly externalUrl: string
  /** What was told before the start. */
  readonly told: Iterable<NotificationLogEntry>
}

/** What one beat wants done: messages to send, and entries to remember although nothing is sent. */
export interface Beaten {
  readonly notices: readonly Notice[]
  readonly logged: readonly NotificationLogEntry[]
}

interface Group {
  readonly id: string
  readonly key: string
  readonly route: Route
  readonly labels: Labels
  readonly alerts: Map<string, PipelineAlert>
  nextFlushMs: number
  hasFlushed: boolean
  /** Notices of the last flush that are not settled, and whether one of them failed. */
  waiting: number
  hasFailed: boolean
  /** What the last flush looked at. */
  flushed: readonly PipelineAlert[]
  emptySinceMs: number | undefined
}

/** A message is tried at least this long. */
const TRIED_MS_MIN = 10_000
/** An empty group keeps its timer this long, so that an alert that comes back does not count as a new group. */
const EMPTY_GROUP_MS = 30_000
/** What was told is remembered this many times as long as it takes until it is repeated. */
const LOG_REPEATS = 2

export class PipelineCore implements PipelineView {
  readonly #parts: PipelineParts
  readonly #inhibitor: Inhibitor
  readonly #book: AlertBook
  readonly #groups = new Map<string, Group>()
  readonly #told: Map<string, NotificationLogEntry>
  /** Groups of each alert; labels never change, so neither do its groups. */
  readonly #groupsOf = new Map<
    string,
    readonly { readonly route: Route; readonly labels: Labels; readonly id: string }[]
  >()

  constructor(parts: PipelineParts) {
    this.#parts = parts
    this.#inhibitor = new Inhibitor(parts.config.inhibitRules)
    this.#book = new AlertBook(this.#inhibitor)
    this.#told = new Map([...parts.told].map((entry) => [entry.key, entry]))
  }

  /** Everything that was told, for whoever takes over after a change of the configuration. */
  told(): Iterable<NotificationLogEntry> {
    return this.#told.values()
  }

  /** Takes the alerts of a beat and answers what is due. */
  beat(alerts: readonly PipelineAlert[], nowMs: number): Beaten {
    this.#book.take(alerts, nowMs, (fingerprint) => {
      const places = this.#groupsOf.get(fingerprint) ?? []
      return places.some(({ id }) => this.#groups.get(id)?.alerts.has(fingerprint) === true)
    })
    for (const entry of this.#book.values()) this.#insert(entry, nowMs)
    const notices: Notice[] = []
    const logged: NotificationLogEntry[] = []
    for (const group of this.#groups.values()) {
      if (group.waiting > 0 || nowMs < group.nextFlushMs) continue
      const beaten = this.#flush(group, nowMs)
      notices.push(...beaten.notices)
      logged.push(...beaten.logged)
      this.#settleGroup(group, nowMs)
    }
    this.#forget(nowMs)
    return { notices, logged }
  }

  /** What became of a notice: told, or given up. Until then its group decides nothing. */
  settle({ groupId, logEntry }: Notice, isTold: boolean, nowMs: number): void {
    if (isTold) this.#told.set(logEntry.key, logEntry)
    const group = this.#groups.get(groupId)
    if (group === undefined) return
    group.waiting--
    group.hasFailed ||= !isTold
    this.#settleGroup(group, nowMs)
  }

  /** Of a message that was on its way when the configuration changed. */
  remember(entry: NotificationLogEntry): void {
    this.#told.set(entry.key, entry)
  }

  marksOf(alert: Alert, nowMs: number): PipelineMarks {
    const { labels } = alert
    const { silences, config } = this.#parts
    const routes = routesFor(config.route, labels)
    const expected = this.#expected(alert, nowMs)
    return {
      silencedBy: silences.silencedBy(labels, nowMs),
      inhibitedBy: this.#inhibitor.inhibitedBy(labels),
      mutedBy: [...new Set(routes.flatMap((route) => this.#mutedBy(route, nowMs)))],
      ...(expected === undefined ? {} : { expected }),
      receivers: [...new Set(routes.map(({ receiver }) => receiver))].filter((name) => name !== ''),
      decisions: [...(this.#book.get(alert.fingerprint)?.decisions.values() ?? [])],
    }
  }

  hasSeen(fingerprint: string): boolean {
    return this.#book.get(fingerprint) !== undefined
  }

  groups(nowMs: number): readonly AlertGroup[] {
    return [...this.#groups.values()]
      .filter(({ alerts }) => alerts.size > 0)
      .map(({ key, route, labels, alerts, nextFlushMs }) => ({
        groupKey: key,
        receiver: route.receiver,
        labels,
        alerts: [...alerts.values()].sort(compareAlerts),
        mutedBy: this.#mutedBy(route, nowMs),
        nextFlushMs,
      }))
      .sort((a, b) => compareLabels(a.labels, b.labels) || (a.receiver < b.receiver ? -1 : 1))
  }

  receivers(): readonly string[] {
    return [...this.#parts.config.receivers.keys()]
  }

  configText(): string {
    return this.#parts.config.shownText
  }

  #insert(entry: BookEntry, nowMs: number): void {
    const { alert } = entry
    for (const place of this.#placesOf(alert)) {
      const isSettled = alert.state === 'resolved' && entry.settled.get(place.id) === (alert.resolvedAtMs ?? 0)
      if (isSettled) continue
      const { groupWaitMs, receiver } = place.route
      let group = this.#groups.get(place.id)
      if (group === undefined) {
        group = {
          ...place,
          key: groupKeyOf(place.route, place.labels),
          alerts: new Map(),
          nextFlushMs: nowMs + groupWaitMs,
          hasFlushed: false,
          waiting: 0,
          hasFailed: false,
          flushed: [],
          emptySinceMs: undefined,
        }
        this.#groups.set(place.id, group)
      }
      if (!group.alerts.has(alert.fingerprint)) {
        group.emptySinceMs = undefined
        entry.decisions.set(receiver, { receiver, sends: false, reason: 'waits_for_group', atMs: nowMs })
        // It has waited long enough before it came here.
        const startsAtMs = alert.firedAtMs ?? alert.activeAtMs
        if (!group.hasFlushed && startsAtMs + groupWaitMs < nowMs) group.nextFlushMs = nowMs
      }
      group.alerts.set(alert.fingerprint, alert)
    }
  }

  #placesOf(alert: PipelineAlert): readonly { readonly route: Route; readonly labels: Labels; readonly id: string }[] {
    let places = this.#groupsOf.get(alert.fingerprint)
    if (places === undefined) {
      places = routesFor(this.#parts.config.route, alert.labels).map((route) => {
        const labels = groupLabelsOf(route, alert.labels)
        return { route, labels, id: `${route.path.join('.')}\u0000${labels.key}` }
      })
      this.#groupsOf.set(alert.fingerprint, places)
    }
    return places
  }

  #flush(group: Group, nowMs: number): Beaten {
    const { route, labels, key } = group
    const { config, externalUrl } = this.#parts
    group.nextFlushMs = nowMs + route.groupIntervalMs
    group.hasFlushed = true
    group.hasFailed = false
    group.flushed = [...group.alerts.values()].sort(compareAlerts)
    const passing = this.#passing(group, nowMs)
    const notices: Notice[] = []
    const logged: NotificationLogEntry[] = []
    if (passing.length === 0) return { notices, logged }

    const firing = passing.filter(({ state }) => state === 'firing')
    const now = {
      firing: fingerprintsOf(firing),
      resolved: fingerprintsOf(passing.filter((a) => a.state !== 'firing')),
    }
    const integrations = config.receivers.get(route.receiver)?.integrations ?? []
    let decision: Omit<Decision, 'receiver' | 'atMs'> = { sends: false, reason: 'no_receiver' }
    integrations.forEach((integration, index) => {
      const { sendResolved, kind } = integration
      const logKey = logKeyOf(key, route.receiver, kind, index)
      // An Alertmanager resolves what it does not hear of again, so it is told as often as there is a chance.
      const repeatIntervalMs = kind === 'alertmanager' ? route.groupIntervalMs : route.repeatIntervalMs
      const verdict = dedupe(this.#liveEntry(logKey, nowMs), now, { sendResolved, repeatIntervalMs, nowMs })
      if (index === 0 || (verdict.sends && !decision.sends)) decision = { sends: verdict.sends, reason: verdict.reason }
      const logEntry = {
        key: logKey,
        atMs: nowMs,
        firing: [...now.firing],
        resolved: [...now.resolved],
        expiresAtMs: nowMs + LOG_REPEATS * repeatIntervalMs,
      }
      if (verdict.sends) {
        const told = sendResolved ? passing : firing
        const alerts = told.map((alert) => messageAlert(alert, nowMs))
        notices.push({
          core: this,
          groupId: group.id,
          receiver: route.receiver,
          index,
          integration,
          message: {
            receiver: route.receiver,
            groupKey: key,
            groupLabels: labels,
            alerts,
            externalUrl,
            nowMs,
            toldEveryMs: repeatIntervalMs,
          },
          reason: verdict.reason,
          logEntry,
          expiresAtMs: nowMs + Math.max(route.groupIntervalMs, TRIED_MS_MIN),
        })
      } else if (verdict.logs) {
        this.#told.set(logKey, logEntry)
        logged.push(logEntry)
      }
    })
    for (const { fingerprint } of passing)
      this.#decide(fingerprint, { ...decision, receiver: route.receiver, atMs: nowMs })
    group.waiting = notices.length
    return { notices, logged }
  }

  /** Those of the group that nothing keeps quiet; of the others the reason is remembered. */
  #passing(group: Group, nowMs: number): readonly PipelineAlert[] {
    const { route } = group
    const mutedBy = this.#mutedBy(route, nowMs)
    return group.flushed.filter((alert) => {
      const reason = this.#quietReason(alert, mutedBy, nowMs)
      if (reason === undefined) return true
      this.#decide(alert.fingerprint, { receiver: route.receiver, sends: false, reason, atMs: nowMs })
      return false
    })
  }

  #quietReason(alert: PipelineAlert, mutedBy: readonly string[], nowMs: number): string | undefined {
    const inhibitedBy = this.#inhibitor.inhibitedBy(alert.labels)
    if (inhibitedBy.length > 0) return `inhibited_by: ${inhibitedBy.join(', ')}`
    const entry = this.#book.get(alert.fingerprint)
    const expected = this.#expected(alert, nowMs)
    if (expected !== undefined) {
      if (entry !== undefined) entry.expectedRunMs = alert.activeAtMs
      return `expected_in_upgrade: ${expected.title}, phase ${expected.phase}`
    }
    if (entry?.expectedRunMs === alert.activeAtMs && alert.state === 'resolved') {
      return 'expected_in_upgrade: it resolved before anybody had to know'
    }
    if (entry !== undefined) entry.expectedRunMs = undefined
    if (mutedBy.length > 0) return `muted_by: ${mutedBy.join(', ')}`
    const silencedBy = this.#parts.silences.silencedBy(alert.labels, nowMs)
    return silencedBy.length > 0 ? `silenced_by: ${silencedBy.join(', ')}` : undefined
  }

  #expected(alert: Alert, nowMs: number) {
    return alert.state === 'firing' ? this.#parts.upgrades.expectedFor(alert, nowMs) : undefined
  }

  /** Names of the mute intervals that hold, or of the active ones when none of them does. */
  #mutedBy({ muteTimeIntervals, activeTimeIntervals }: Route, nowMs: number): readonly string[] {
    const { intervals } = this.#parts.config
    const isActive =
      activeTimeIntervals.length === 0 || namesHoldingAt(activeTimeIntervals, intervals, nowMs).length > 0
    return isActive ? namesHoldingAt(muteTimeIntervals, intervals, nowMs) : activeTimeIntervals
  }

  #decide(fingerprint: string, decision: Decision): void {
    this.#book.get(fingerprint)?.decisions.set(decision.receiver, decision)
  }

  #liveEntry(key: string, nowMs: number): NotificationLogEntry | undefined {
    const entry = this.#told.get(key)
    return entry !== undefined && entry.expiresAtMs > nowMs ? entry : undefined
  }

  /** When all were told that had to be, what has resolved leaves the group. */
  #settleGroup(group: Group, nowMs: number): void {
    if (group.waiting > 0 || group.hasFailed) return
    for (const alert of group.flushed) {
      const present = group.alerts.get(alert.fingerprint)
      if (alert.state !== 'resolved' || present?.state !== 'resolved') continue
      if (present.resolvedAtMs !== alert.resolvedAtMs) continue
      group.alerts.delete(alert.fingerprint)
      this.#book.get(alert.fingerprint)?.settled.set(group.id, alert.resolvedAtMs ?? 0)
    }
    group.flushed = []
    if (group.alerts.size === 0) group.emptySinceMs ??= nowMs
  }

  #forget(nowMs: number): void {
    for (const [id, { emptySinceMs, alerts, waiting }] of this.#groups) {
      const isEmpty = emptySinceMs !== undefined && alerts.size === 0 && waiting === 0
      if (isEmpty && nowMs - emptySinceMs >= EMPTY_GROUP_MS) this.#groups.delete(id)
    }
    for (const fingerprint of this.#groupsOf.keys()) {
      if (this.#book.get(fingerprint) === undefined) this.#groupsOf.delete(fingerprint)
    }
    for (const [key, { expiresAtMs }] of this.#told) if (expiresAtMs <= nowMs) this.#told.delete(key)
  }
}

function fingerprintsOf(alerts: readonly PipelineAlert[]): ReadonlySet<string> {
  return new Set(alerts.map(({ fingerprint }) => fingerprint))
}
