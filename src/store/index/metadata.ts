import type Database from 'better-sqlite3'
import { groupBy } from '../../base/group-by.ts'
import type { MetricFamily, MetricMetadata, MetricType } from '../../model/metadata.ts'
import { Statements } from '../statements.ts'

/**
 * Metric metadata on the writer's side: of each family the latest, and some earlier ones, because the clusters of a
 * fleet run different versions. Written with the next commit; the stored metadata is loaded at the first use after a
 * start.
 */

/** Limit per family. */
const METADATA_PER_FAMILY = 8
/** Limit for all families: senders choose the names. */
const FAMILIES_MAX = 100_000

/** What pending metadata takes beside its texts. */
const PENDING_BYTES = 300
/** Of the series of one family. */
const SUFFIXES = ['_bucket', '_sum', '_count', '_total', '_created', '_info']
const SUFFIX = /_(bucket|sum|count|total|created|info)$/

interface Row {
  readonly family: string
  readonly type: string
  readonly help: string
  readonly unit: string
}

export class Metadata extends Statements {
  readonly #put = this.db.prepare<[string, string, string, string, number]>(
    'INSERT OR REPLACE INTO metric_metadata (family, type, help, unit, seq) VALUES (?, ?, ?, ?, ?)',
  )
  readonly #remove = this.db.prepare<[string, string, string, string]>(
    'DELETE FROM metric_metadata WHERE family = ? AND type = ? AND help = ? AND unit = ?',
  )
  readonly #nextSeq = this.db.prepare<[], { seq: number }>(
    'SELECT coalesce(max(seq), 0) + 1 AS seq FROM metric_metadata',
  )
  /** By family, the latest first; undefined until loaded. */
  #families: Map<string, MetricMetadata[]> | undefined
  #changes: ((seq: number) => void)[] = []
  #pendingBytes = 0

  get isDurable(): boolean {
    return this.#changes.length === 0
  }

  /** Memory of pending metadata. */
  get pendingBytes(): number {
    return this.#pendingBytes
  }

  /** False when there is no room for one more family. */
  describe(family: string, metadata: MetricMetadata): boolean {
    const families = this.#loaded()
    const known = families.get(family)
    if (known === undefined && families.size >= FAMILIES_MAX) return false
    if (known?.[0] !== undefined && isSame(known[0], metadata)) return true
    families.set(family, this.#withFirst(family, known ?? [], metadata))
    return true
  }

  /** Call in the transaction of a commit, and `written` after the commit. */
  write(): void {
    if (this.isDurable) return
    const { seq } = this.#nextSeq.get()!
    for (const [i, change] of this.#changes.entries()) change(seq + i)
  }

  written(): void {
    if (this.isDurable) return
    this.#changes = []
    this.#pendingBytes = 0
  }

  /** Metadata of families of which no series is left; inside the caller's transaction. @param isMetric whether series have the name */
  removeOf(metrics: readonly string[], isMetric: (name: string) => boolean): void {
    const families = new Set(metrics.flatMap((name) => [name, name.replace(SUFFIX, '')]))
    const remove = this.db.prepare<[string]>('DELETE FROM metric_metadata WHERE family = ?')
    for (const family of families) {
      if (isMetric(family) || SUFFIXES.some((suffix) => isMetric(family + suffix))) continue
      remove.run(family)
      this.#families?.delete(family)
    }
  }

  #withFirst(family: string, known: readonly MetricMetadata[], metadata: MetricMetadata): MetricMetadata[] {
    const { type, help, unit } = metadata
    this.#pendingBytes += PENDING_BYTES + family.length + help.length + unit.length
    this.#changes.push((seq) => this.#put.run(family, type, help, unit, seq))
    const others = known.filter((one) => !isSame(one, metadata))
    for (const excess of others.splice(METADATA_PER_FAMILY - 1)) {
      this.#changes.push(() => this.#remove.run(family, excess.type, excess.help, excess.unit))
    }
    return [metadata, ...others]
  }

  #loaded(): Map<string, MetricMetadata[]> {
    return (this.#families ??= new Map(
      readFamilies(this.db).map(({ name, metadata }) => [name, [...metadata]] as const),
    ))
  }
}

/** All families, or one of them, sorted by name. */
export function readFamilies(db: Database.Database, name?: string): readonly MetricFamily[] {
  const columns = 'SELECT family, type, help, unit FROM metric_metadata'
  const order = 'ORDER BY family, seq DESC'
  const rows =
    name === undefined
      ? db.prepare<[], Row>(`${columns} ${order}`).all()
      : db.prepare<[string], Row>(`${columns} WHERE family = ? ${order}`).all(name)
  return Array.from(
    groupBy(rows, ({ family }) => family),
    ([family, known]) => ({
      name: family,
      metadata: known.map(({ type, help, unit }) => ({ type: type as MetricType, help, unit })),
    }),
  )
}

function isSame(a: MetricMetadata, b: MetricMetadata): boolean {
  return a.type === b.type && a.help === b.help && a.unit === b.unit
}
