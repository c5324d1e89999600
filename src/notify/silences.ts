/**
 * The silences of the server: changed one after the other, durable before they count, and answered from memory. Who did it
 * is written with each change.
 */
import { createSerialQueue } from '../base/serial-queue.ts'
import type { AuditAction, AuditedAction } from '../model/audit.ts'
import { silenceStateAt, type Silence } from '../model/silence.ts'
import type { SilenceReader } from './ports.ts'
import { SilenceIndex } from './silence-index.ts'
import { changeSilence, endSilence, type SilenceChange, type SilenceWish } from './silence-change.ts'
import { ResolvedWatch, type HiddenAlert } from './until-resolved.ts'

/** Stores silences; each call is durable when it resolves. */
export interface SilenceStore {
  list(): Promise<readonly Silence[]>
  /** Adds or replaces by id, with the entries of the audit, all or nothing. */
  write(silences: readonly Silence[], actions: readonly AuditedAction[]): Promise<void>
  prune(endedBeforeMs: number): Promise<void>
}

export interface Silences extends SilenceReader {
  get(id: string): Silence | undefined
  /** In no order; expired ones of the last days too. */
  all(): Iterable<Silence>
  /** Rejects when it cannot be stored; nothing has changed then. @param by for the audit */
  set(wish: SilenceWish, by: string, nowMs: number): Promise<SilenceChange>
  /** Ends one now; one that has ended stays as it is. `undefined` when there is none. */
  expire(id: string, by: string, nowMs: number): Promise<Silence | undefined>
  /** Ends those that last until their alerts are resolved, when they are. To be called in each evaluation cycle, with all alerts. */
  endResolved(alerts: readonly HiddenAlert[], nowMs: number): Promise<void>
  /** Removes what ended before a time. */
  prune(endedBeforeMs: number): Promise<void>
}

/** Silences at one time, expired ones too: a limit for what a client that loops can do. */
const SILENCES_MAX = 10_000

/** In the audit, for what ended without a user. */
export const BY_ITSELF = 'daytwo'

/** Reads what is stored. @param newId a UUID */
export async function createSilences(store: SilenceStore, newId: () => string): Promise<Silences> {
  const index = new SilenceIndex(await store.list())
  const watch = new ResolvedWatch()
  const inOrder = createSerialQueue()

  const write = async (silences: readonly Silence[], actions: readonly AuditedAction[]): Promise<void> => {
    await store.write(silences, actions)
    index.put(silences)
  }
  const expireNow = async (id: string, by: string, nowMs: number): Promise<Silence | undefined> => {
    const silence = index.get(id)
    if (silence === undefined || silenceStateAt(silence, nowMs) === 'expired') return silence
    const ended = endSilence(silence, nowMs)
    await write([ended], [auditOf('silence.expire', ended, by, nowMs)])
    return ended
  }
  return {
    silencedBy: (labels, nowMs) => index.silencedBy(labels, nowMs),
    get: (id) => index.get(id),
    all: () => index.all(),
    set: (wish, by, nowMs) =>
      inOrder(async () => {
        const previous = wish.id === undefined ? undefined : index.get(wish.id)
        const change = changeSilence(wish, previous, nowMs, newId)
        if (change.kind !== 'changed') return change
        const { silence, replaced } = change
        if (index.get(silence.id) === undefined && index.size >= SILENCES_MAX) {
          return { kind: 'refused', message: `exceeded maximum number of silences: ${SILENCES_MAX}` }
        }
        const action = previous === undefined ? 'silence.create' : 'silence.update'
        const ended = replaced === undefined ? [] : [replaced]
        await write(
          [...ended, silence],
          [...ended.map((old) => auditOf('silence.expire', old, by, nowMs)), auditOf(action, silence, by, nowMs)],
        )
        return change
      }),
    expire: (id, by, nowMs) => inOrder(() => expireNow(id, by, nowMs)),
    endResolved: async (alerts, nowMs) => {
      for (const id of watch.ended(index.all(), alerts, (labels) => index.silencedBy(labels, nowMs), nowMs)) {
        await inOrder(() => expireNow(id, BY_ITSELF, nowMs))
      }
    },
    prune: (endedBeforeMs) =>
      inOrder(async () => {
        await store.prune(endedBeforeMs)
        index.prune(endedBeforeMs)
      }),
  }
}

function auditOf(action: AuditAction, silence: Silence, by: string, atMs: number): AuditedAction {
  return { atMs, by, action, subject: silence.id, detail: JSON.stringify(silence) }
}
