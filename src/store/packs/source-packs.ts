import type { SeriesRef } from '../../model/series.ts'
import type { BlockRows, StoredPack } from './blocks.ts'
import { decodeChunk } from './chunk-codec.ts'
import { chunkAt } from './pack-codec.ts'
import { readPack } from './pack-reader.ts'
import type { RunList } from '../head/run-list.ts'

/** The chunks of one metric in one block, one after the other by rising ref; one pack in memory at a time. */
export class SourcePacks {
  /** The ref of the chunk that `decode` reads; Infinity when there are no more. */
  ref: SeriesRef = Infinity
  readonly #blocks: BlockRows
  readonly #block: number
  readonly #metric: number
  #pack: StoredPack | undefined
  #at = 0

  constructor(blocks: BlockRows, block: number, metric: number) {
    this.#blocks = blocks
    this.#block = block
    this.#metric = metric
    this.#load(0)
  }

  /** Adds the runs of the chunk. A damaged one is FleetError `storage_failed`. */
  decode(into: RunList): void {
    const { id, directory, payload } = this.#pack!
    readPack(id, () => {
      decodeChunk(chunkAt(payload, directory, this.#at), directory.fromsMs[this.#at]!, into)
    })
  }

  next(): void {
    const { directory } = this.#pack!
    this.#at++
    if (this.#at < directory.count) this.ref = directory.refs[this.#at]!
    else this.#load(directory.refs[directory.count - 1]!)
  }

  #load(afterRef: SeriesRef): void {
    this.#pack = this.#blocks.packAfter(this.#block, this.#metric, afterRef)
    this.#at = 0
    this.ref = this.#pack?.directory.refs[0] ?? Infinity
  }
}
