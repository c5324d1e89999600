/**
 * A budget of bytes that owners share, by dynamic thresholds (Choudhury and Hahne, 1998): an owner may hold as much as
 * is left free. One greedy owner gets half, each of ten an eleventh, and as much is always left for the next one.
 */

/** One who holds bytes of the budget. */
export interface Owner<Kind extends string = string> {
  readonly kind: Kind
  readonly name: string
  /** Of all its requests. */
  heldBytes: number
}

/** Why there is no room: `share`: the owner holds more than an equal part; `total`: others do. */
export type NoRoom = 'share' | 'total'

export class SharedBudget<Kind extends string> {
  readonly bytesMax: number
  readonly #owners: ReadonlyMap<Kind, Map<string, Owner<Kind>>>
  #heldBytes = 0
  #ownerCount = 0

  /** @param kinds of owners: equal names of two kinds are two owners */
  constructor(bytesMax: number, kinds: readonly Kind[]) {
    this.bytesMax = bytesMax
    this.#owners = new Map(kinds.map((kind) => [kind, new Map()]))
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  /** HOT: once per request. The owner with this name, who may hold nothing yet. */
  ownerOf(kind: Kind, name: string): Owner<Kind> {
    return this.#owners.get(kind)!.get(name) ?? { kind, name, heldBytes: 0 }
  }

  /**
   * HOT: once per request. Takes bytes for an owner, or returns why there is no room.
   * @param ownBytes held by the same request already: one that is alone always gets what it needs
   */
  take(owner: Owner<Kind>, bytes: number, ownBytes: number): NoRoom | undefined {
    const held = this.#heldBytes + bytes
    const ofOwner = owner.heldBytes + bytes
    if (ofOwner > this.bytesMax - held && this.#heldBytes > ownBytes) {
      const owners = this.#ownerCount + (owner.heldBytes === 0 ? 1 : 0)
      // An equal part of all owners and the next one.
      return ofOwner > this.bytesMax / (owners + 1) ? 'share' : 'total'
    }
    if (owner.heldBytes === 0) {
      this.#owners.get(owner.kind)!.set(owner.name, owner)
      this.#ownerCount++
    }
    owner.heldBytes = ofOwner
    this.#heldBytes = held
    return undefined
  }

  /** HOT: once per request. */
  give(owner: Owner<Kind>, bytes: number): void {
    owner.heldBytes -= bytes
    this.#heldBytes -= bytes
    if (owner.heldBytes > 0) return
    this.#owners.get(owner.kind)!.delete(owner.name)
    this.#ownerCount--
  }
}
