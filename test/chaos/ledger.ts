/**
 * What one load sent and what of it was acknowledged, by key. Places are those of a trace of writes: after a power cut at a
 * place, what was acknowledged before it is there once, what was only sent by then is there once or not, and nothing else is.
 * After a kill all places count (`Infinity`).
 */
export class Ledger {
  readonly #sent = new Map<string, number>()
  readonly #acked = new Map<string, number>()

  /** Of a repeated request the first time counts. */
  sent(key: string, place: number): void {
    if (!this.#sent.has(key)) this.#sent.set(key, place)
  }

  acked(key: string, place: number): void {
    if (!this.#acked.has(key)) this.#acked.set(key, place)
  }

  isSent(key: string, place = Infinity): boolean {
    return (this.#sent.get(key) ?? Infinity) <= place && this.#sent.has(key)
  }

  isAcked(key: string): boolean {
    return this.#acked.has(key)
  }

  get ackedCount(): number {
    return this.#acked.size
  }

  /** Keys that were sent until a place, in their order. */
  keys(place: number): readonly string[] {
    return [...this.#sent].filter(([, at]) => at <= place).map(([key]) => key)
  }

  /**
   * What is stored beside what must be, one sentence for each difference.
   *
   * @param sentPlace what was sent until then may be there; of a copy that took some time
   * @param isMeant of a key: it must be there
   */
  faults(
    found: Iterable<string>,
    place: number,
    sentPlace = place,
    isMeant: (key: string) => boolean = () => true,
  ): readonly string[] {
    const counts = new Map<string, number>()
    for (const key of found) counts.set(key, (counts.get(key) ?? 0) + 1)
    const faults: string[] = []
    for (const [key, at] of this.#acked) {
      if (at <= place && !counts.has(key) && isMeant(key)) faults.push(`lost: ${key}`)
    }
    for (const [key, count] of counts) {
      if (count > 1) faults.push(`${count} times: ${key}`)
      if (!this.isSent(key, sentPlace)) faults.push(`never sent: ${key}`)
    }
    return faults
  }

  /** The disk is as it was at a place, and a new trace begins at 0: what was acknowledged later is there or not. */
  rollBack(place: number): void {
    for (const [key, at] of this.#acked) {
      if (at <= place) this.#acked.set(key, 0)
      else this.#acked.delete(key)
    }
    for (const [key, at] of this.#sent) {
      if (at <= place) this.#sent.set(key, 0)
      else this.#sent.delete(key)
    }
  }
}
