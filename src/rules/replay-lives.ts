/**
 * The lives of one rule's alerts over steps of time, as the engine would have lived them: the same labels, the same step
 * from state to state (`stepAlert`), a step whose result cannot be used changes
 * nothing, but for one above the limit, which ends them all. What it keeps between two
 * steps is what lives, and for an hour what has ended.
 */
import type { Labels } from '../model/labels.ts'
import { stepAlert } from './alert-state.ts'
import type { AlertPhase, FiringPhase, Hold } from './alert-state.ts'

/** One sample of the expression under the labels of its alert. */
export interface HeldSample {
  readonly labels: Labels
  readonly value: number
}

export interface LivesObserver {
  /** An alert began to fire. */
  fired(alert: ReplayedAlert, nowMs: number): void
  /** One that fired has resolved. */
  resolved(alert: ReplayedAlert, nowMs: number): void
  /** `for` held it back until it was gone. */
  vanished(): void
  /** After each step, how many fire. */
  stepped(nowMs: number, firing: number): void
}

export interface ReplayedAlert {
  readonly labels: Labels
  readonly value: number
  readonly phase: AlertPhase | undefined
  /** When it last resolved before it fires now. */
  readonly lastResolvedAtMs: number | undefined
}

type Tracked = { -readonly [Key in keyof ReplayedAlert]: ReplayedAlert[Key] } & {
  /** The number of the step at which it was last seen to hold. */
  heldAt: number
}

/** How long an alert that has resolved is remembered, to know that it flaps. */
export const FLAP_MS = 3_600_000

export class ReplayLives {
  readonly #hold: Hold
  readonly #limit: number
  readonly #observer: LivesObserver
  /** By the key of the alert's labels. */
  readonly #alerts = new Map<string, Tracked>()
  /** Pending or firing. */
  readonly #live = new Set<Tracked>()
  #step = 0
  #firing = 0

  /** @param limit of the rule's group; 0 is none */
  constructor(hold: Hold, limit: number, observer: LivesObserver) {
    this.#hold = hold
    this.#limit = limit
    this.#observer = observer
  }

  /** The next step, later than all before it. Answers false when the result could not be used. */
  step(held: readonly HeldSample[], nowMs: number): boolean {
    this.#step++
    const isAlone = this.#note(held)
    const isUsable = isAlone && !this.#exceedsLimit(nowMs)
    if (isUsable) {
      for (const alert of this.#live) this.#advance(alert, alert.heldAt === this.#step, nowMs)
    } else if (isAlone) {
      for (const alert of this.#live) this.#drop(alert, nowMs)
    }
    this.#forgetUnborn()
    this.#observer.stepped(nowMs, this.#firing)
    return isUsable
  }

  /** Alerts that fire at present. */
  firing(): readonly (ReplayedAlert & { readonly phase: FiringPhase })[] {
    return [...this.#live].flatMap((alert) =>
      alert.phase?.state === 'firing' ? [{ ...alert, phase: alert.phase }] : [],
    )
  }

  /** Forgets what ended long ago. Call now and then. */
  forget(nowMs: number): void {
    for (const [key, alert] of this.#alerts) {
      const isOld = nowMs - (alert.lastResolvedAtMs ?? -Infinity) > FLAP_MS
      if (!this.#live.has(alert) && isOld) this.#alerts.delete(key)
    }
  }

  /** False when two samples are one alert. */
  #note(held: readonly HeldSample[]): boolean {
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

  /** Above the limit a rule has no alerts: what fired ends, and nobody is told. */
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
    // Most of what fires goes on firing.
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
      // What holds again is a new run of it, as if it had never been.
      alert.phase = undefined
      alert.lastResolvedAtMs = nowMs
      this.#live.delete(alert)
    }
  }

  /** What a refused step brought up and that does not live. */
  #forgetUnborn(): void {
    for (const alert of this.#live) {
      if (alert.phase !== undefined) continue
      this.#live.delete(alert)
      if (alert.lastResolvedAtMs === undefined) this.#alerts.delete(alert.labels.key)
    }
  }
}
