/**
 * The alerts of one rule over evaluation steps, as in the engine: the same labels and state machine (`stepAlert`). A step
 * with an unusable result changes nothing; a step above the limit ends all alerts. Between two steps this holds the active
 * alerts, and for an hour the resolved ones.
 */
import type { Labels } from '../model/labels.ts'
import { stepAlert, type AlertPhase, type FiringPhase, type Hold } from './alert-state.ts'

/** One sample of the expression, with the labels of its alert. */
export interface HeldSample {
  readonly labels: Labels
  readonly value: number
}

export interface ReplayObserver {
  /** An alert started to fire. */
  fired(alert: ReplayedAlert, nowMs: number): void
  /** A firing alert resolved. */
  resolved(alert: ReplayedAlert, nowMs: number): void
  /** A pending alert became inactive before `for` had passed. */
  vanished(): void
  /** After each step, with the number of firing alerts. */
  stepped(nowMs: number, firing: number): void
}

export interface ReplayedAlert {
  readonly labels: Labels
  readonly value: number
  readonly phase: AlertPhase | undefined
  /** Resolution time of the previous occurrence. */
  readonly lastResolvedAtMs: number | undefined
}

type Tracked = { -readonly [Key in keyof ReplayedAlert]: ReplayedAlert[Key] } & {
  /** The number of the last step whose result had its sample. */
  heldAt: number
}

/** An alert that fires again within this time after its resolution flaps. */
export const FLAP_MS = 3_600_000

export class ReplayAlerts {
  readonly #hold: Hold
  readonly #limit: number
  readonly #observer: ReplayObserver
  /** By the key of the alert's labels. */
  readonly #alerts = new Map<string, Tracked>()
  /** Pending or firing. */
  readonly #live = new Set<Tracked>()
  #step = 0
  #firing = 0

  /** @param limit of the rule's group; 0 is no limit */
  constructor(hold: Hold, limit: number, observer: ReplayObserver) {
    this.#hold = hold
    this.#limit = limit
    this.#observer = observer
  }

  /** Applies the next step, which is later than all before it. Returns whether the result is usable. */
  step(held: readonly HeldSample[], nowMs: number): boolean {
    this.#step++
    const areUnique = this.#markHeld(held)
    const isUsable = areUnique && !this.#exceedsLimit(nowMs)
    if (isUsable) {
      for (const alert of this.#live) this.#advance(alert, alert.heldAt === this.#step, nowMs)
    } else if (areUnique) {
      for (const alert of this.#live) this.#drop(alert, nowMs)
    }
    this.#removeInactive()
    this.#observer.stepped(nowMs, this.#firing)
    return isUsable
  }

  /** The alerts that fire after the last step. */
  firing(): readonly (ReplayedAlert & { readonly phase: FiringPhase })[] {
    return [...this.#live].flatMap((alert) =>
      alert.phase?.state === 'firing' ? [{ ...alert, phase: alert.phase }] : [],
    )
  }

  /** Deletes alerts that resolved more than `FLAP_MS` ago. Call between slices. */
  forget(nowMs: number): void {
    for (const [key, alert] of this.#alerts) {
      const isOld = nowMs - (alert.lastResolvedAtMs ?? -Infinity) > FLAP_MS
      if (!this.#live.has(alert) && isOld) this.#alerts.delete(key)
    }
  }

  /** False when two samples have the labels of one alert. */
  #markHeld(held: readonly HeldSample[]): boolean {
    for (const { labels, value } of held) {
      let alert = this.#alerts.get(labels.key)
      if (alert === undefined) {
        alert = { labels, value, phase: undefined, lastResolvedAtMs: undefined, heldAt: 0 }
        this.#alerts.set(labels.key, alert)
      }
      if (alert.heldAt === this.#step) return false
      alert.heldAt = this.#step
      alert.value = value
      this.#live.add(alert)
    }
    return true
  }

  #exceedsLimit(nowMs: number): boolean {
    if (this.#limit === 0 || this.#live.size <= this.#limit) return false
    let active = 0
    for (const { phase, heldAt } of this.#live) {
      const next = stepAlert(phase, heldAt === this.#step, nowMs, this.#hold)
      if (next !== undefined && next.state !== 'resolved') active++
    }
    return active > this.#limit
  }

  /** Above the limit a rule has no alerts: firing alerts end without a notification. */
  #drop(alert: Tracked, nowMs: number): void {
    const { phase } = alert
    alert.phase = undefined
    if (phase?.state === 'pending') this.#observer.vanished()
    if (phase?.state !== 'firing') return
    this.#firing--
    const { activeAtMs, firedAtMs } = phase
    const ended = { state: 'resolved', activeAtMs, firedAtMs, resolvedAtMs: nowMs } as const
    this.#observer.resolved({ ...alert, phase: ended }, nowMs)
    alert.lastResolvedAtMs = nowMs
  }

  #advance(alert: Tracked, holds: boolean, nowMs: number): void {
    const before = alert.phase
    // Most firing alerts continue to fire.
    if (holds && before?.state === 'firing' && before.keepFiringSinceMs === undefined) return
    const after = stepAlert(before, holds, nowMs, this.#hold)
    alert.phase = after
    if (after?.state === 'firing' && before?.state !== 'firing') {
      this.#firing++
      this.#observer.fired(alert, nowMs)
    }
    if (after === undefined) {
      if (before?.state === 'pending') this.#observer.vanished()
      this.#live.delete(alert)
    }
    if (after?.state === 'resolved') {
      this.#firing--
      this.#observer.resolved({ ...alert, phase: after }, nowMs)
      // The next sample starts a new occurrence.
      alert.phase = undefined
      alert.lastResolvedAtMs = nowMs
      this.#live.delete(alert)
    }
  }

  /** Removes alerts that only an unusable step created. */
  #removeInactive(): void {
    for (const alert of this.#live) {
      if (alert.phase !== undefined) continue
      this.#live.delete(alert)
      if (alert.lastResolvedAtMs === undefined) this.#alerts.delete(alert.labels.key)
    }
  }
}
