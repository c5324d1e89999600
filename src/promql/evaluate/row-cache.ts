import type { LabelRows } from '../../model/label-rows.ts'
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
/** Text and label set of a shared group; the number of a group in a column, of a row and of a translation. */
const SHARED_BYTES = 250
const NUMBER_BYTES = 4

/** How rows are distinguished: rows with equal texts are one group. */
export interface Grouping {
  /** Identifies the grouping. */
  readonly key: string
  textOf(rows: LabelRows, row: number): string
  labelsOf(rows: LabelRows, row: number): Labels
}

/** The groups of all columns of one grouping: most rules group by cluster, and there are many rules. */
class SharedGroups {
  readonly texts: string[] = []
  readonly labels: Labels[] = []
  /** -1 for each group, except while `withPlaces` runs. */
  #places = new Int32Array(0)
  readonly #known = new Map<string, number>()

  /** The number of the group with a text, or -1. */
  find(text: string): number {
    return this.#known.get(text) ?? -1
  }

  /** The number of a row's group, which is added when it is new. */
  of(rows: LabelRows, row: number, grouping: Grouping): number {
    const text = grouping.textOf(rows, row)
    let group = this.#known.get(text)
    if (group === undefined) {
      group = this.labels.push(grouping.labelsOf(rows, row)) - 1
      this.texts.push(text)
      this.#known.set(text, group)
    }
    return group
  }

  /**
   * Runs `work` with the place of each group in a list, or -1. `work` may add up to `added` groups to this and to the list,
   * with their places.
   */
  withPlaces(list: () => Int32Array, added: number, work: (places: Int32Array) => void): void {
    const size = this.texts.length + added
    if (this.#places.length < size) this.#places = new Int32Array(Math.max(size, this.#places.length * 2)).fill(-1)
    const places = this.#places
    list().forEach((group, place) => (places[group] = place))
    try {
      work(places)
    } finally {
      for (const group of list()) places[group] = -1
    }
  }
}

/** Group numbers of the rows of one lineage, in the order in which the groups first occur. */
export class GroupColumn {
  ids = new Int32Array(0)
  /** Number of rows with a group number. */
  seen = 0
  /** Number of groups so far. */
  count = 0
  readonly #shared: SharedGroups
  /** By number here, the number in `#shared`; entries are never changed. */
  #groups = new Int32Array(4)
  #list: ColumnLabels | undefined
  readonly #numbers = (): Int32Array => this.#groups.subarray(0, this.count)

  constructor(shared: SharedGroups) {
    this.#shared = shared
  }

  /** The labels of all groups so far. */
  get list(): LabelRows {
    if (this.#list?.length !== this.count) this.#list = new ColumnLabels(this.#shared.labels, this.#numbers(), this)
    return this.#list
  }

  /** Texts of groups are distinct. */
  textAt(group: number): string {
    return this.#shared.texts[this.#groups[group]!]!
  }

  extend(rows: LabelRows, grouping: Grouping): void {
    if (this.ids.length < rows.length) {
      const larger = new Int32Array(rows.length)
      larger.set(this.ids)
      this.ids = larger
    }
    const added = rows.length - this.seen
    this.#shared.withPlaces(this.#numbers, added, (places) => {
      for (let row = this.seen; row < rows.length; row++) {
        const group = this.#shared.of(rows, row, grouping)
        if (places[group] === -1) places[group] = this.#push(group)
        this.ids[row] = places[group]!
      }
    })
    this.seen = Math.max(this.seen, rows.length)
  }

  /** For each group here the group of another column with the same text, or -1. */
  translationTo(other: GroupColumn): Int32Array {
    const [from, to] = [this.#shared, other.#shared]
    const groups = this.#numbers().map((group) => (from === to ? group : to.find(from.texts[group]!)))
    to.withPlaces(other.#numbers, 0, (places) => {
      for (let group = 0; group < groups.length; group++) {
        if (groups[group] !== -1) groups[group] = places[groups[group]!]!
      }
    })
    return groups
  }

  #push(group: number): number {
    if (this.count === this.#groups.length) {
      const larger = new Int32Array(this.count * 2)
      larger.set(this.#groups)
      this.#groups = larger
    }
    this.#groups[this.count] = group
    return this.count++
  }
}

/** The label sets of a column's groups, as far as it had some. */
class ColumnLabels implements LabelRows {
  readonly lineage: GroupColumn
  readonly #labels: readonly Labels[]
  readonly #groups: Int32Array

  constructor(labels: readonly Labels[], groups: Int32Array, lineage: GroupColumn) {
    this.#labels = labels
    this.#groups = groups
    this.lineage = lineage
  }

  get length(): number {
    return this.#groups.length
  }

  at(row: number): Labels {
    return this.#labels[this.#groups[row]!]!
  }

  valueAt(row: number, name: string): string {
    return this.at(row).get(name)
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
  /** By grouping. */
  #shared = new Map<string, SharedGroups>()
  #bytes = 0

  /** Whether `groups` has nothing to compute. */
  knows(rows: LabelRows, grouping: Grouping): boolean {
    return (this.#columns.get(rows.lineage)?.get(grouping.key)?.seen ?? -1) >= rows.length
  }

  groups(rows: LabelRows, grouping: Grouping): GroupColumn {
    let columns = this.#columns.get(rows.lineage)
    if (columns === undefined) this.#columns.set(rows.lineage, (columns = new Map<string, GroupColumn>()))
    let shared = this.#shared.get(grouping.key)
    if (shared === undefined) this.#shared.set(grouping.key, (shared = new SharedGroups()))
    let column = columns.get(grouping.key)
    if (column === undefined) columns.set(grouping.key, (column = new GroupColumn(shared)))
    if (column.seen >= rows.length) return column
    const [groupsBefore, sharedBefore] = [column.count, shared.texts.length]
    const added = rows.length - column.seen
    column.extend(rows, grouping)
    // Rows that are their own lineage, such as the result of a comparison, end with the query, and their groups with
    // them.
    const isPassing = rows.lineage === rows
    const own = isPassing ? 0 : (column.count - groupsBefore + added) * NUMBER_BYTES
    this.#take(own + (shared.texts.length - sharedBefore) * SHARED_BYTES)
    return column
  }

  translation(from: GroupColumn, to: GroupColumn): Int32Array {
    let known = this.#translations.get(from)
    if (known === undefined) this.#translations.set(from, (known = new WeakMap<GroupColumn, Int32Array>()))
    const numbers = known.get(to)
    const isCurrent = numbers?.length === from.count && (this.#sizes.get(numbers) ?? -1) === to.count
    if (numbers !== undefined && isCurrent) return numbers
    const made = from.translationTo(to)
    known.set(to, made)
    this.#sizes.set(made, to.count)
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
