import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../sim/random.ts'
import { isMapped, type TraceRecord } from './write-trace.ts'

/**
 * What a power cut may leave of the files of a folder, by what POSIX promises and no more: content is on the disk after
 * fsync of its file; until then each sector has the content of any moment since (writes are dropped, reordered and torn),
 * and the file any size that it had. Names are on the disk after fsync of the folder; until then creations, removals and
 * renamings up to any of them are, in their order.
 */
export type CutKind =
  /** Everything that is not synced is gone. */
  | 'dropped'
  /** Everything is there: a killed process. */
  | 'written'
  /** Each sector by chance. */
  | 'mixed'

export interface PowerCut {
  readonly kind: CutKind
  /** A divisor of the sizes of pages, so that these are torn. */
  readonly sectorBytes: number
  readonly random: Random
}

type Change =
  | { readonly kind: 'write'; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'truncate'; readonly offset: number }

/** Bytes of a file; zeros beyond its size. */
class Content {
  #bytes: Buffer
  size: number

  constructor(bytes: Buffer, room = bytes.length) {
    this.#bytes = Buffer.alloc(room)
    bytes.copy(this.#bytes)
    this.size = bytes.length
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.size)
  }

  apply(change: Change): void {
    const size = sizeAfter(this.size, change)
    if (size > this.#bytes.length) this.#bytes = new Content(this.#bytes, size + (size >> 1)).#bytes
    if (change.kind === 'write') change.data.copy(this.#bytes, change.offset)
    else if (size < this.size) this.#bytes.fill(0, size, this.size)
    this.size = size
  }
}

function sizeAfter(size: number, change: Change): number {
  return change.kind === 'write' ? Math.max(size, change.offset + change.data.length) : change.offset
}

/** What of a file is on the disk, and its changes that are not there yet. */
class DiskFile {
  readonly #synced: Content
  #changes: Change[] = []

  constructor(bytes: Buffer) {
    this.#synced = new Content(bytes)
  }

  change(change: Change): void {
    this.#changes.push(change)
  }

  sync(): void {
    for (const change of this.#changes) this.#synced.apply(change)
    this.#changes = []
  }

  /** What a power cut leaves; valid until the next change. */
  after({ kind, sectorBytes, random }: PowerCut): Buffer {
    const changes = this.#changes
    const { bytes } = this.#synced
    if (kind === 'dropped' || changes.length === 0) return bytes
    if (kind === 'written') {
      const all = new Content(bytes)
      for (const change of changes) all.apply(change)
      return all.bytes
    }
    const sizes = [bytes.length]
    for (const change of changes) sizes.push(sizeAfter(sizes.at(-1)!, change))
    const left = new Content(bytes, Math.max(...sizes))
    left.apply({ kind: 'truncate', offset: Math.max(...sizes) })
    // By sector: how many of the changes reached it.
    const reached = new Map<number, number>()
    changes.forEach((change, i) => {
      const to = change.kind === 'write' ? change.offset + change.data.length : left.size
      for (let at = change.offset; at < to;) {
        const sector = Math.floor(at / sectorBytes)
        const end = Math.min(to, (sector + 1) * sectorBytes)
        if (!reached.has(sector)) reached.set(sector, random.int(0, changes.length))
        if (i < reached.get(sector)!) {
          if (change.kind === 'write') change.data.copy(left.bytes, at, at - change.offset, end - change.offset)
          else left.bytes.fill(0, at, end)
        }
        at = end
      }
    })
    return left.bytes.subarray(0, random.pick(sizes))
  }
}

type Naming =
  | { readonly kind: 'link'; readonly path: string; readonly file: DiskFile }
  | { readonly kind: 'unlink'; readonly path: string }

export class DiskModel {
  /** As programs see them. */
  readonly #seen = new Map<string, DiskFile>()
  /** On the disk. */
  readonly #names = new Map<string, DiskFile>()
  #namings: Naming[] = []

  /** All that is in a folder is on the disk. */
  constructor(dir: string) {
    for (const path of readdirSync(dir)) {
      if (isMapped(path)) continue
      const file = new DiskFile(readFileSync(join(dir, path)))
      this.#seen.set(path, file)
      this.#names.set(path, file)
    }
  }

  apply(record: TraceRecord): void {
    const { kind, path, offset, data } = record
    if (isMapped(path)) return
    switch (kind) {
      case 'create':
        this.#name({ kind: 'link', path, file: new DiskFile(Buffer.alloc(0)) })
        return
      case 'unlink':
        this.#name({ kind: 'unlink', path })
        return
      case 'rename':
        this.#name({ kind: 'link', path: data.toString('utf8'), file: this.#file(path) })
        this.#name({ kind: 'unlink', path })
        return
      case 'write':
        this.#file(path).change({ kind, offset, data })
        return
      case 'truncate':
        this.#file(path).change({ kind, offset })
        return
      case 'sync':
        this.#file(path).sync()
        return
      case 'sync_folder':
        for (const naming of this.#namings) put(this.#names, naming)
        this.#namings = []
    }
  }

  /** Writes what a power cut leaves into a folder, which it makes. The model goes on as if there had been none. */
  cut(dir: string, power: PowerCut): void {
    mkdirSync(dir, { mode: 0o700 })
    const names = new Map(this.#names)
    const { kind, random } = power
    const count = this.#namings.length
    const reached = kind === 'dropped' ? 0 : kind === 'written' ? count : random.int(0, count)
    for (const naming of this.#namings.slice(0, reached)) put(names, naming)
    for (const [path, file] of names) writeFileSync(join(dir, path), file.after(power))
  }

  #file(path: string): DiskFile {
    const file = this.#seen.get(path)
    if (file === undefined) throw new Error(`the trace changes ${path}, which it did not create`)
    return file
  }

  #name(naming: Naming): void {
    put(this.#seen, naming)
    this.#namings.push(naming)
  }
}

function put(names: Map<string, DiskFile>, naming: Naming): void {
  if (naming.kind === 'link') names.set(naming.path, naming.file)
  else names.delete(naming.path)
}
