/**
 * The silences of the server: changed one after the other, durable before they take effect, and read from memory. Each
 * change is stored with its audit entry.
 */
import { FleetError } from '../base/errors.ts'
import { createSerialQueue } from '../base/serial-queue.ts'
import { eachInSteps, inSlices, ownTurn, type Steps } from '../base/thread-slices.ts'
import { withAudit, type Audited } from '../model/audit.ts'
import type { Labels } from '../model/labels.ts'
import { silenceStateAt, type Silence } from '../model/silence.ts'
import type { SilenceReader } from './ports.ts'
import { SilenceIndex } from './silence-index.ts'
import { changeSilence, endSilence, type SilenceChange, type SilenceRequest } from './silence-change.ts'

/** Stores silences; each call is durable when it resolves. */
export interface SilenceStore {
  list(): Promise<readonly Silence[]>
  find(id: string): Promise<Silence | undefined>
  /** Adds or replaces by id, with the entries of the audit, all or nothing, except those that had expired: it returns these. */
  write(changes: readonly Audited<Silence>[]): Promise<readonly Silence[]>
  prune(endedBeforeMs: number): Promise<void>
}

export interface Silences extends SilenceReader {
  /** Also one that another process has just stored. */
  get(id: string): Promise<Silence | undefined>
  /** In no order; includes those that expired in the last days. */
  all(): Iterable<Silence>
  /** Rejects, and changes nothing, when it cannot be stored. @param by for the audit */
  set(wish: SilenceRequest, by: string, nowMs: number): Promise<SilenceChange>
  /** Ends a silence now; an expired one is not changed. `undefined` when there is none. */
  expire(id: string, by: string, nowMs: number): Promise<Silence | undefined>
  /** Ends those that last until their alerts are resolved, when they are. Call in each evaluation cycle, with all alerts. */
  endResolved(alerts: readonly HiddenAlert[], nowMs: number): Promise<void>
  /** Removes those that ended before a time. */
  prune(endedBeforeMs: number): Promise<void>
  /** Takes what other processes have stored. */
  reread(): Promise<void>
}

/** Maximum number of silences, expired ones included: a limit for clients that loop. */
const SILENCES_MAX = 10_000

/** In the audit, for a silence that ended without a user. */
export const BY_ITSELF = 'daytwo'

/** Loads the stored silences. @param newId returns a UUID */
export async function createSilences(store: SilenceStore, newId: () => string): Promise<Silences> {
  const index = new SilenceIndex(await store.list())
  const watch = new ResolvedWatch()
  const inOrder = createSerialQueue()

  /** Returns those that another process had expired. */
  const write = async (changes: readonly Audited<Silence>[]): Promise<readonly Silence[]> => {
    try {
      const expired = await store.write(changes)
      index.put(changes.map(({ value }) => value))
      index.put(expired)
      return expired
    } catch (thrown) {
      // The thread that writes ended without an answer: it may have written them.
      if (thrown instanceof FleetError && thrown.code === 'not_ready') index.put(await store.list())
      throw thrown
    }
  }
  const get = async (id: string): Promise<Silence | undefined> => {
    const stored = index.get(id) === undefined ? await store.find(id) : undefined
    if (stored !== undefined) index.put([stored])
    return index.get(id)
  }
  const expireNow = async (id: string, by: string, nowMs: number): Promise<Silence | undefined> => {
    const silence = await get(id)
    if (silence === undefined || silenceStateAt(silence, nowMs) === 'expired') return silence
    await write([withAudit('silence.expire', id, endSilence(silence, nowMs), by, nowMs)])
    return index.get(id)
  }
  return {
    silencedBy: (labels, nowMs) => index.silencedBy(labels, nowMs),
    get: (id) => inOrder(() => get(id)),
    all: () => index.all(),
    set: (wish, by, nowMs) =>
      inOrder(async () => {
        for (;;) {
          const previous = wish.id === undefined ? undefined : await get(wish.id)
          const change = changeSilence(wish, previous, nowMs, newId)
          if (change.kind !== 'changed') return change
          const { silence, replaced } = change
          if (index.get(silence.id) === undefined && index.size >= SILENCES_MAX) {
            return { kind: 'refused', message: `exceeded maximum number of silences: ${SILENCES_MAX}` }
          }
          const action = previous === undefined ? 'silence.create' : 'silence.update'
          const ended = replaced === undefined ? [] : [withAudit('silence.expire', replaced.id, replaced, by, nowMs)]
          const expired = await write([...ended, withAudit(action, silence.id, silence, by, nowMs)])
          // One that has expired meanwhile is replaced by a new one.
          if (!expired.some(({ id }) => id === silence.id)) return change
        }
      }),
    expire: (id, by, nowMs) => inOrder(() => expireNow(id, by, nowMs)),
    endResolved: async (alerts, nowMs) => {
      const silencedBy = (labels: Labels): readonly string[] => index.silencedBy(labels, nowMs)
      for (const id of await inSlices(watch.ended(index.all(), alerts, silencedBy, nowMs), ownTurn)) {
        await inOrder(() => expireNow(id, BY_ITSELF, nowMs))
      }
    },
    prune: (endedBeforeMs) =>
      inOrder(async () => {
        await store.prune(endedBeforeMs)
        index.prune(endedBeforeMs)
      }),
    // A silence only ends; those that were removed are pruned here too.
    reread: () =>
      inOrder(async () => {
        index.put(await store.list())
      }),
  }
}

export interface HiddenAlert {
  readonly labels: Labels
  readonly state: 'pending' | 'firing' | 'resolved'
  readonly rule: { readonly intervalMs: number }
}

/** A silence ends at the earliest this long after its last match, so that a flapping alert does not end it. */
const GRACE_MS_MIN = 120_000
/** And at the earliest after this many evaluations of the slowest rule that it matched. */
const GRACE_INTERVALS = 2

interface Watch {
  lastHidAtMs: number
  graceMs: number
}

/** The time of the last match of each silence that lasts until its alerts are resolved; a restart counts as a match. */
class ResolvedWatch {
  readonly #watches = new Map<string, Watch>();

  /**
   * The silences that have matched no alert for long enough. Call in each evaluation cycle, with all alerts.
   * @param silencedBy ids of the silences that match an alert now
   */
  *ended(
    silences: Iterable<Silence>,
    alerts: readonly HiddenAlert[],
    silencedBy: (labels: Labels) => readonly string[],
    nowMs: number,
  ): Steps<readonly string[]> {
    const watched = [...silences].filter(
      (silence) => silence.untilResolved && silenceStateAt(silence, nowMs) === 'active',
    )
    const ids = new Set(watched.map(({ id }) => id))
    for (const id of this.#watches.keys()) if (!ids.has(id)) this.#watches.delete(id)
    if (ids.size === 0) return []
    for (const id of ids) {
      if (!this.#watches.has(id)) this.#watches.set(id, { lastHidAtMs: nowMs, graceMs: GRACE_MS_MIN })
    }
    yield* eachInSteps(alerts, ({ labels, state, rule }) => {
      if (state === 'resolved') return
      for (const id of silencedBy(labels)) {
        const watch = this.#watches.get(id)
        if (watch === undefined) continue
        watch.lastHidAtMs = nowMs
        watch.graceMs = Math.max(watch.graceMs, GRACE_INTERVALS * rule.intervalMs)
      }
    })
    return [...this.#watches].flatMap(([id, { lastHidAtMs, graceMs }]) => (nowMs - lastHidAtMs > graceMs ? [id] : []))
  }
}
