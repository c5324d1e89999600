import type { MixedLoad } from './mixed-load.ts'

/** What a scenario found: a table by load, figures, and each fault in a sentence. */
export class Report {
  readonly figures = new Map<string, string | number>()
  readonly faults: string[] = []
  readonly #onFault: (text: string) => void
  readonly #acked = new Map<string, number>()
  readonly #lost = new Map<string, number>()
  readonly #repeated = new Map<string, number>()
  readonly #notNow = new Map<string, number>()

  /** @param onFault called with each of the first ones */
  constructor(onFault: (text: string) => void) {
    this.#onFault = onFault
  }

  fault(text: string): void {
    this.faults.push(text)
    if (this.faults.length <= FAULTS_SHOWN) this.#onFault(text)
  }

  count(name: string, by = 1): void {
    this.figures.set(name, Number(this.figures.get(name) ?? 0) + by)
  }

  /** Takes what a check found. @param where for the sentences: `kill 12` */
  check(where: string, found: ReadonlyMap<string, readonly string[]>): void {
    for (const [load, faults] of found) {
      for (const fault of faults) {
        const counts = fault.includes('lost:') ? this.#lost : this.#repeated
        counts.set(load, (counts.get(load) ?? 0) + 1)
        this.fault(`${where}, ${load}: ${fault}`)
      }
    }
  }

  /** Takes the counts of a load that has ended. */
  add({ loads, notNow }: MixedLoad): void {
    for (const { name, ledger } of loads) this.#acked.set(name, (this.#acked.get(name) ?? 0) + ledger.ackedCount)
    for (const [name, count] of notNow) this.#notNow.set(name, (this.#notNow.get(name) ?? 0) + count)
  }

  get ackedCount(): number {
    return [...this.#acked.values()].reduce((sum, count) => sum + count, 0)
  }

  text(): string {
    const head = ['acknowledged', 'lost', 'repeated, unknown', '429, 503', '']
    const rows = [...this.#acked].map(([name, acked]) => [
      ...[acked, this.#lost.get(name) ?? 0, this.#repeated.get(name) ?? 0, this.#notNow.get(name) ?? 0].map(String),
      name,
    ])
    const table = rows.length === 0 ? [] : [head, ...rows]
    const lines = table.map((cells) => cells.map((cell, i) => (i === 4 ? cell : cell.padStart(17))).join('  '))
    const figures = [...this.figures].map(([name, value]) => `${name}: ${value}`)
    const shown = this.faults.slice(0, FAULTS_SHOWN)
    return [...lines, ...figures, ...shown, `${this.faults.length} faults`].join('\n')
  }
}

const FAULTS_SHOWN = 50
