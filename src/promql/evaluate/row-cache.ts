import { LabelList, type LabelRows } from '../../model/label-rows.ts'
import type { Labels } from '../../model/labels.ts'

/**
 * Cached results about rows, valid as long as the rows exist: the group of each row of a fleet, and the matching groups
 * of two vectors. A rule needs the same every half minute, for the same series. Cached by the lineage of the rows, so
 * entries are dropped with their rows and extended when rows are added.
 */

/**
 * Estimated bytes of the whole cache; beyond it everything is dropped and recomputed. A too small limit makes every
 * evaluation a first one.
 */
const BYTES_MAX = 512 * 1024 * 1024
/**
 * Text and label set of a group, shared by all columns of its grouping; its entries in a column; the number of a row.
 */
const SHARED_BYTES = 250
const GROUP_BYTES = 60
const ROW_BYTES = 4

/** How rows are distinguished: rows with equal texts are one group. */
export interface Grouping {
  /** Identifies the grouping. */
  readonly key: string
  textOf(rows: LabelRows, row: number): string
  labelsOf(rows: LabelRows, row: number): Labels
}

/** A group shared by all columns of one grouping: most rules group by cluster, and there are many rules. */
interface SharedGroup {
  readonly text: string
  readonly labels: Labels
}

/** Group numbers of the rows of one lineage, in the order in which the groups first occur. */
export class GroupColumn {
  ids = new Int32Array(0)
  /** Number of rows with a group number. */
  seen = 0
  readonly labels: Labels[] = []
  readonly texts: string[] = []
  readonly known = new Map<string, number>()
  #list: LabelList | undefined

  /** The labels of all groups so far. */
  get list(): LabelList {
    if (this.#list?.length !== this.labels.length) this.#list = new LabelList([...this.labels], this)
    return this.#list
  }

  extend(rows: LabelRows, grouping: Grouping, shared: Map<string, SharedGroup>): void {
    if (this.ids.length < rows.length) {
      const larger = new Int32Array(rows.length)
      larger.set(this.ids)
      this.ids = larger
    }
    for (let row = this.seen; row < rows.length; row++) {
      const text = grouping.textOf(rows, row)
      let id = this.known.get(text)
      if (id === undefined) {
        id = this.labels.length
        let group = shared.get(text)
        if (group === undefined) shared.set(text, (group = { text, labels: grouping.labelsOf(rows, row) }))
        this.known.set(group.text, id)
        this.texts.push(group.text)
        this.labels.push(group.labels)
      }
      this.ids[row] = id
    }
    this.seen = Math.max(this.seen, rows.length)
  }
}

/** Lookups of groups and matches of rows. */
export interface RowGroups {
  /** The groups of at least all these rows. */
  groups(rows: LabelRows, grouping: Grouping): GroupColumn
  /** For each group of `from` the group of `to` with the same text, or -1. */
  translation(from: GroupColumn, to: GroupColumn): Int32Array
}

export class RowCache implements RowGroups {
  #columns = new WeakMap<object, Map<string, GroupColumn>>()
  #translations = new WeakMap<GroupColumn, WeakMap<GroupColumn, Int32Array>>()
  /** By grouping, then by text. */
  #shared = new Map<string, Map<string, SharedGroup>>()
  #bytes = 0

  /** Whether `groups` has nothing to compute. */
  knows(rows: LabelRows, grouping: Grouping): boolean {
    return (this.#columns.get(rows.lineage)?.get(grouping.key)?.seen ?? -1) >= rows.length
  }

  groups(rows: LabelRows, grouping: Grouping): GroupColumn {
    let columns = this.#columns.get(rows.lineage)
    if (columns === undefined) this.#columns.set(rows.lineage, (columns = new Map<string, GroupColumn>()))
    let column = columns.get(grouping.key)
    if (column === undefined) columns.set(grouping.key, (column = new GroupColumn()))
    if (column.seen >= rows.length) return column
    let shared = this.#shared.get(grouping.key)
    if (shared === undefined) this.#shared.set(grouping.key, (shared = new Map<string, SharedGroup>()))
    const [groupsBefore, sharedBefore] = [column.labels.length, shared.size]
    const added = rows.length - column.seen
    column.extend(rows, grouping, shared)
    // Rows that are their own lineage, such as the result of a comparison, end with the query, and their groups with
    // them.
    const isPassing = rows.lineage === rows
    const own = isPassing ? 0 : (column.labels.length - groupsBefore) * GROUP_BYTES + added * ROW_BYTES
    this.#take(own + (shared.size - sharedBefore) * SHARED_BYTES)
    return column
  }

  translation(from: GroupColumn, to: GroupColumn): Int32Array {
    let known = this.#translations.get(from)
    if (known === undefined) this.#translations.set(from, (known = new WeakMap<GroupColumn, Int32Array>()))
    const numbers = known.get(to)
    const isCurrent = numbers?.length === from.texts.length && (this.#sizes.get(numbers) ?? -1) === to.texts.length
    if (numbers !== undefined && isCurrent) return numbers
    const made = Int32Array.from(from.texts, (text) => to.known.get(text) ?? -1)
    known.set(to, made)
    this.#sizes.set(made, to.texts.length)
    this.#take(made.byteLength)
    return made
  }

  /** Number of groups of the other side when a translation was made. */
  readonly #sizes = new WeakMap<Int32Array, number>()

  /** Entries dropped with their rows are still counted, so the cache is sometimes cleared earlier than necessary. */
  #take(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= BYTES_MAX) return
    this.#columns = new WeakMap()
    this.#translations = new WeakMap()
    this.#shared = new Map()
    this.#bytes = 0
  }
}
