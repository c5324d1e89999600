import { LabelList, type LabelRows } from '../../model/label-rows.ts'
import type { Labels } from '../../model/labels.ts'

/**
 * What was worked out for rows and holds as long as they are there: which group each row of a fleet is in, and which
 * groups of two vectors match. A rule asks the same every half minute, about the same series. Kept by the lineage of
 * the rows, so it goes with them, and grows with them at their end.
 */

/**
 * Estimated bytes of all that is kept; beyond it everything is let go and worked out again. One that is too
 * small makes every evaluation a first one.
 */
const BYTES_MAX = 512 * 1024 * 1024
/** Text and label set of a group, which all columns with its grouping share; its entries in one; the number of a row. */
const SHARED_BYTES = 250
const GROUP_BYTES = 60
const ROW_BYTES = 4

/** How rows are told apart: equal texts are one group. */
export interface Grouping {
  /** Names the grouping among all. */
  readonly key: string
  textOf(rows: LabelRows, row: number): string
  labelsOf(rows: LabelRows, row: number): Labels
}

/** A group as all columns of one grouping share it: most rules group by cluster, and there are many rules. */
interface SharedGroup {
  readonly text: string
  readonly labels: Labels
}

/** Group numbers of the rows of one lineage, in the order in which groups are first met. */
export class GroupColumn {
  ids = new Int32Array(0)
  /** How many rows have a number. */
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

/** Looking up groups and matches of rows. */
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

  /** Whether `groups` has nothing to work out. */
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
    // Rows that are a lineage of their own, as those that a comparison picks, go with the query, and their groups with them.
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

  /** How many groups the other side had when a translation was made. */
  readonly #sizes = new WeakMap<Int32Array, number>()

  /** What went with its rows is still counted, so now and then more is let go than has to. */
  #take(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= BYTES_MAX) return
    this.#columns = new WeakMap()
    this.#translations = new WeakMap()
    this.#shared = new Map()
    this.#bytes = 0
  }
}
