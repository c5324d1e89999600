/**
 * Every alert the pipeline knows, one per fingerprint, as the last beat brought it. What vanishes without having
 * resolved is resolved here; what fires is a source of inhibition.
 */
import { pickOnePerFingerprint } from './decide.ts'
import type { Inhibitor } from './inhibitor.ts'
import type { Decision, PipelineAlert } from './pipeline.ts'

export interface BookEntry {
  /** Firing or resolved, never pending. */
  alert: PipelineAlert
  isHere: boolean
  /** By receiver. */
  readonly decisions: Map<string, Decision>
  /** Groups in which this resolution is done with: group id to `resolvedAtMs`. */
  readonly settled: Map<string, number>
  /** The run (`activeAtMs`) that an upgrade explained, as long as nobody was told of it. */
  expectedRunMs?: number | undefined
}

export class AlertBook {
  readonly #entries = new Map<string, BookEntry>()
  readonly #inhibitor: Inhibitor

  constructor(inhibitor: Inhibitor) {
    this.#inhibitor = inhibitor
  }

  get(fingerprint: string): BookEntry | undefined {
    return this.#entries.get(fingerprint)
  }

  values(): Iterable<BookEntry> {
    return this.#entries.values()
  }

  /** Takes the alerts of one beat. `isHeld`: whether a group still has to tell of an alert that is gone. */
  take(alerts: readonly PipelineAlert[], nowMs: number, isHeld: (fingerprint: string) => boolean): void {
    for (const entry of this.#entries.values()) entry.isHere = false
    for (const [fingerprint, alert] of pickOnePerFingerprint(alerts)) {
      // A new run that waits: the run before is over.
      if (alert.state === 'pending') continue
      this.#put(fingerprint, alert)
    }
    for (const [fingerprint, entry] of this.#entries) {
      if (entry.isHere) continue
      if (entry.alert.state === 'firing') this.#put(fingerprint, resolvedAt(entry.alert, nowMs))
      else if (!isHeld(fingerprint)) this.#entries.delete(fingerprint)
    }
  }

  #put(fingerprint: string, alert: PipelineAlert): void {
    const entry = this.#entries.get(fingerprint)
    const wasFiring = entry?.alert.state === 'firing'
    if (entry === undefined) {
      this.#entries.set(fingerprint, { alert, isHere: true, decisions: new Map(), settled: new Map() })
    } else {
      entry.alert = alert
      entry.isHere = true
      if (alert.state === 'firing') entry.settled.clear()
    }
    if (alert.state === 'firing' && !wasFiring) this.#inhibitor.add(fingerprint, alert.labels)
    if (alert.state !== 'firing' && wasFiring) this.#inhibitor.remove(fingerprint, alert.labels)
  }
}

function resolvedAt(alert: PipelineAlert, nowMs: number): PipelineAlert {
  return { ...alert, state: 'resolved', resolvedAtMs: nowMs }
}
