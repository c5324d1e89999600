/** The erasure of a cluster: of all data about it, from any sender. */
export interface Erasure {
  /** A UUID. */
  readonly id: string
  /** The cluster and the other names it goes by; absent once nothing of it is stored, these names included. */
  readonly names?: readonly string[]
  readonly by: string
  readonly startedMs: number
  /** Rows and series that were removed or rewritten until now. */
  readonly removed: number
  /** Since when nothing of it is stored; absent: it is still being removed. */
  readonly doneMs?: number
  /** Data that arrives for the cluster is accepted again; absent: it is refused as `cluster_erased`. */
  readonly allowed?: { readonly atMs: number; readonly by: string }
  /** Where several processes share the facts: how far each is in its own data folder. */
  readonly processes?: readonly ErasureProgress[]
  /** How far the metrics store is; absent: there is none, or it was not reached yet. */
  readonly metricsStore?: MetricsStoreErasure
}

export interface ErasureProgress {
  readonly process: string
  readonly removed: number
  /** Absent: something of the cluster may still be there. */
  readonly doneMs?: number
}

export const METRICS_STORE_ERASURES = ['deleted', 'failed', 'unsupported'] as const

/** `failed` is tried again; `unsupported`: a person has to delete the series, or wait for the retention of the store. */
export interface MetricsStoreErasure {
  readonly state: (typeof METRICS_STORE_ERASURES)[number]
  /** Why, or what is left to do; empty: nothing. */
  readonly text: string
  readonly atMs: number
}

/** By which labels a cluster's series are found, and its names. */
export interface ErasedCluster {
  readonly names: ReadonlySet<string>
  /** Labels that name the cluster of a series. */
  readonly labels: ReadonlySet<string>
}

/** What a person or log calls an erasure when its cluster's name is erased too. */
export function erasedSubject({ id }: Pick<Erasure, 'id'>): string {
  return `erased cluster ${id.slice(0, 8)}`
}

/** Next to one of these a name is a part of a longer one. Dashes and dots are not: rather too much is removed than too little. */
const WORD_CHARACTER = /[\p{L}\p{N}_]/u

/** Whether a text has one of the names in it, by itself. */
export function mentionsAny(text: string, names: Iterable<string>): boolean {
  for (const name of names) {
    for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
      const around = [text[at - 1] ?? ' ', text[at + name.length] ?? ' ']
      if (!around.some((character) => WORD_CHARACTER.test(character))) return true
    }
  }
  return false
}
