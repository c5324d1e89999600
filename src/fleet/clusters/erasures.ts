/** Erasures of clusters, as main sees them: the store removes what is stored, and this what is in memory. */
import type { Erasure } from '../../model/erasure.ts'

/** Each call is durable when it resolves. */
export interface ErasureStore {
  list(): Promise<readonly Erasure[]>
  /** `undefined`: nothing is stored of a cluster of this name. */
  begin(cluster: string, id: string, by: string, nowMs: number): Promise<Erasure | undefined>
  /** `undefined`: there is no such erasure, or it has not ended. */
  allow(id: string, by: string, nowMs: number): Promise<Erasure | undefined>
  /** Those of the names whose data is refused. */
  refused(names: readonly string[]): Promise<readonly string[]>
}

export interface Erasures extends Pick<ErasureStore, 'list' | 'allow' | 'refused'> {
  begin(cluster: string, by: string, nowMs: number): Promise<Erasure | undefined>
  /** Forgets again what was derived or received in the meantime. Call in each evaluation cycle. */
  cycle(nowMs: number): Promise<void>
}

/** @param forget removes from memory what is about clusters of these names, and ends silences that are about them alone */
export async function createErasures(
  store: ErasureStore,
  newId: () => string,
  forget: (names: readonly string[], by: string, nowMs: number) => Promise<void>,
): Promise<Erasures> {
  /** Of erasures that had not ended when they were last forgotten. */
  let names: ReadonlySet<string> = new Set()
  let hasRefused = false
  const reread = async (): Promise<readonly Erasure[]> => {
    const all = await store.list()
    names = new Set([...names, ...openNames(all)])
    hasRefused = all.some(({ allowed }) => allowed === undefined)
    return all
  }
  await reread()
  return {
    list: reread,
    refused: async (asked) => (hasRefused && asked.length > 0 ? store.refused(asked) : []),
    allow: (id, by, nowMs) => store.allow(id, by, nowMs),
    begin: async (cluster, by, nowMs) => {
      const begun = await store.begin(cluster, newId(), by, nowMs)
      if (begun === undefined) return undefined
      await reread()
      await forget(begun.names ?? [], by, nowMs)
      return begun
    },
    cycle: async (nowMs) => {
      if (names.size === 0) return
      // Read before: what has ended is forgotten once more.
      const all = await reread()
      const [asked, open] = [names, openNames(all)]
      await forget([...asked], BY_ITSELF, nowMs)
      // Another one may have begun meanwhile.
      names = new Set([...names].filter((name) => open.has(name) || !asked.has(name)))
    },
  }
}

function openNames(all: readonly Erasure[]): ReadonlySet<string> {
  return new Set(all.flatMap((one) => one.names ?? []))
}

/** The actor in the audit when the server itself removes something. */
const BY_ITSELF = 'daytwo'
