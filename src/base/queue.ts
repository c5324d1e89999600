/** A first-in first-out queue with a bound. What does not fit is refused, never dropped in silence. */
export class BoundedQueue<T> {
  readonly capacity: number
  #items: T[] = []
  #head = 0

  /** @param capacity the most items it holds; at least 1 */
  constructor(capacity: number) {
    this.capacity = capacity
  }

  get size(): number {
    return this.#items.length - this.#head
  }

  get isFull(): boolean {
    return this.size >= this.capacity
  }

  /** False when full: the item was not taken. */
  push(item: T): boolean {
    if (this.isFull) return false
    this.#items.push(item)
    return true
  }

  shift(): T | undefined {
    if (this.#head === this.#items.length) return undefined
    const item = this.#items[this.#head]
    this.#items[this.#head] = undefined as T // lets the item go before the next compaction
    this.#head++
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }

  /** Takes everything out, oldest first. */
  drain(): T[] {
    const all = this.#items.slice(this.#head)
    this.#items = []
    this.#head = 0
    return all
  }
}
