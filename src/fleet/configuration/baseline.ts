/** The baseline cluster. A change is stored, with its audit entry, before it takes effect; changes run one after the other. */
import { createSerialQueue } from '../../base/serial-queue.ts'
import type { AuditedAction } from '../../model/audit.ts'
import type { ConfigurationBaseline } from '../../model/configuration.ts'

export interface BaselineStore {
  read(): Promise<ConfigurationBaseline | undefined>
  /** Replaces the choice, with the entries of the audit, all or nothing. `undefined`: none is chosen. */
  write(chosen: ConfigurationBaseline | undefined, actions: readonly AuditedAction[]): Promise<void>
}

export interface BaselineChoice {
  /** @param cluster by its own name */
  choose(cluster: string, by: string, nowMs: number): Promise<ConfigurationBaseline>
  /** Without a choice it changes nothing. */
  remove(by: string, nowMs: number): Promise<void>
  /** Takes what another process has stored. */
  reread(): Promise<void>
}

/** @param notifyChanged called after each change and awaited, so that the next query sees it */
export function createBaselineChoice(store: BaselineStore, notifyChanged: () => Promise<void>): BaselineChoice {
  const inOrder = createSerialQueue()
  return {
    choose: (cluster, by, nowMs) =>
      inOrder(async () => {
        const before = await store.read()
        const chosen = { cluster, by, chosenMs: nowMs }
        const detail = JSON.stringify({ before: before?.cluster ?? null, after: cluster })
        await store.write(chosen, [
          { atMs: nowMs, by, action: 'configuration.baseline.choose', subject: cluster, detail },
        ])
        await notifyChanged()
        return chosen
      }),
    remove: (by, nowMs) =>
      inOrder(async () => {
        const before = await store.read()
        if (before === undefined) return
        const detail = JSON.stringify({ before: before.cluster, after: null })
        const action = 'configuration.baseline.remove'
        await store.write(undefined, [{ atMs: nowMs, by, action, subject: before.cluster, detail }])
        await notifyChanged()
      }),
    reread: () => inOrder(notifyChanged),
  }
}
