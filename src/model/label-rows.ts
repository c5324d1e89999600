import type { Labels } from './labels.ts'

/** The label sets of many series, by row. They may be created on access: most queries read one label, or few series. */
export interface LabelRows {
  readonly length: number
  /** Lists of one lineage have the same first rows, so callers may cache results by row. */
  readonly lineage: object
  at(row: number): Labels
  /** One label's value, or the empty string; makes no label set. */
  valueAt(row: number, name: string): string
}

export class LabelList implements LabelRows {
  readonly lineage: object
  readonly #labels: readonly Labels[]
  readonly length: number

  /** `lineage`: the identity of a growing list, of which `labels` is a prefix; later rows are not visible here. */
  constructor(labels: readonly Labels[], lineage?: object) {
    this.#labels = labels
    this.length = labels.length
    this.lineage = lineage ?? this
  }

  at(row: number): Labels {
    return this.#labels[row]!
  }

  valueAt(row: number, name: string): string {
    return this.#labels[row]!.get(name)
  }
}

/** Some rows of other rows, in a given order. */
export class PickedRows implements LabelRows {
  readonly base: LabelRows
  /** The row in `base` of each row here. */
  readonly places: ArrayLike<number>

  constructor(base: LabelRows, places: ArrayLike<number>) {
    const isNested = base instanceof PickedRows
    this.base = isNested ? base.base : base
    this.places = isNested ? Uint32Array.from(places, (place) => base.places[place]!) : places
  }

  get length(): number {
    return this.places.length
  }

  get lineage(): object {
    return this
  }

  at(row: number): Labels {
    return this.base.at(this.places[row]!)
  }

  valueAt(row: number, name: string): string {
    return this.base.valueAt(this.places[row]!, name)
  }
}

/** All label sets, as an array. */
export function listOf(rows: LabelRows): Labels[] {
  const list: Labels[] = []
  for (let row = 0; row < rows.length; row++) list.push(rows.at(row))
  return list
}
