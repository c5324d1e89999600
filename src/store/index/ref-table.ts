/**
 * From a series' ref to its slot. Refs only rise and are never reused, slots are reused; so the table is paged, and a
 * page without series is released. Several refs may lead to one slot: a caller may hold the ref of a series that ended
 * and was created again under another ref.
 */
const PAGE_BITS = 12
const PAGE_REFS = 1 << PAGE_BITS
const PAGE_MASK = PAGE_REFS - 1

export class RefTable {
  readonly #pages: (Int32Array | undefined)[] = []
  readonly #live: number[] = []

  /** HOT. The slot, or -1. Accepts any number. */
  get(ref: number): number {
    const page = this.#pages[ref >>> PAGE_BITS]
    return page === undefined ? -1 : page[ref & PAGE_MASK]! - 1
  }

  set(ref: number, slot: number): void {
    const index = ref >>> PAGE_BITS
    const page = (this.#pages[index] ??= new Int32Array(PAGE_REFS))
    if (page[ref & PAGE_MASK] === 0) this.#live[index] = (this.#live[index] ?? 0) + 1
    page[ref & PAGE_MASK] = slot + 1
  }

  delete(ref: number): void {
    const index = ref >>> PAGE_BITS
    const page = this.#pages[index]
    if (page === undefined || page[ref & PAGE_MASK] === 0) return
    page[ref & PAGE_MASK] = 0
    this.#live[index]!--
    if (this.#live[index] === 0) this.#pages[index] = undefined
  }
}
