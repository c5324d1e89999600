/** The imported catalogs and graphs, as main sees them. Changes run one after the other; each is stored, with its audit entry. */
import { FleetError } from '../../base/errors.ts'
import { createSerialQueue } from '../../base/serial-queue.ts'
import type { AuditAction, AuditedAction } from '../../model/audit.ts'
import type { GraphImport } from '../../model/graph-import.ts'

/** Each call is durable when it resolves. */
export interface GraphImportStore {
  /** By name. */
  list(): Promise<readonly GraphImport[]>
  put(one: GraphImport, audited: AuditedAction): Promise<void>
  /** False when there is none. */
  remove(name: string, audited: AuditedAction): Promise<boolean>
}

export interface GraphImports {
  list(): Promise<readonly GraphImport[]>
  /** Takes the place of an import of the same name. Throws `too_large` for one more than `IMPORTS_MAX`. */
  put(one: GraphImport): Promise<void>
  /** False: there is none of this name. */
  remove(name: string, by: string, nowMs: number): Promise<boolean>
  /** Takes what other processes have stored. */
  reread(): Promise<void>
}

/** One for each channel of OpenShift and each catalog: a few dozen. All are in memory. */
export const IMPORTS_MAX = 50

/** @param notifyChanged called after each change and awaited, so that the next query sees it */
export function createGraphImports(store: GraphImportStore, notifyChanged: () => Promise<void>): GraphImports {
  const inOrder = createSerialQueue()
  return {
    list: () => store.list(),
    put: (one) =>
      inOrder(async () => {
        const known = await store.list()
        if (known.length >= IMPORTS_MAX && !known.some(({ name }) => name === one.name)) {
          throw new FleetError('too_large', `got import ${known.length + 1}, want at most ${IMPORTS_MAX}`, {
            hint: 'remove one with `daytwo import remove NAME`, or import under the name of the one to replace',
          })
        }
        await store.put(one, auditOf('graph.import', one, one.by, one.importedMs))
        await notifyChanged()
      }),
    remove: (name, by, nowMs) =>
      inOrder(async () => {
        const known = (await store.list()).find((one) => one.name === name)
        if (known === undefined) return false
        const isRemoved = await store.remove(name, auditOf('graph.remove', known, by, nowMs))
        await notifyChanged()
        return isRemoved
      }),
    reread: () => inOrder(notifyChanged),
  }
}

function auditOf(action: AuditAction, { document, ...one }: GraphImport, by: string, atMs: number): AuditedAction {
  return { atMs, by, action, subject: one.name, detail: JSON.stringify({ ...one, chars: document.length }) }
}
