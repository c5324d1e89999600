/** The writes of each setting of an object, from one pass over its states: what wrote a value is asked for thousands of past moments. */
import { firstIndexWhere } from '../../base/first-index.ts'
import type { Written } from '../../model/cluster-record.ts'
import type { HyperConvergedFacts } from '../../model/object-facts.ts'
import type { ObjectHistory } from './cluster-history.ts'
import { isSeenFromCreation } from './present.ts'
import { writeOf } from './written.ts'

/** No version has as many settings; of a client that makes names up, the later ones are not followed. */
const NAMES_MAX = 500

/** How the settings of one sort are read from the facts. */
export interface SettingSort {
  /** Those that are set. */
  readonly namesOf: (facts: HyperConvergedFacts) => readonly string[]
  readonly valueOf: (facts: HyperConvergedFacts, name: string) => unknown
}

interface Write {
  /** The number of the state that it made. */
  readonly at: number
  /** Empty where the history begins with the value: someone wrote it before. */
  readonly written: Written
}

export class SettingWrites {
  /** Rising by state. */
  readonly #byName = new Map<string, Write[]>()

  constructor(history: ObjectHistory<HyperConvergedFacts>, { namesOf, valueOf }: SettingSort) {
    const isCreation = isSeenFromCreation(history)
    let before: HyperConvergedFacts | undefined
    for (const [at, state] of history.states.entries()) {
      const { facts } = state
      const written = at > 0 || isCreation ? writeOf(state) : {}
      // Of what is removed, the removal is the write.
      for (const name of new Set([...(before === undefined ? [] : namesOf(before)), ...namesOf(facts)])) {
        if (before === undefined || valueOf(before, name) !== valueOf(facts, name)) this.#add(name, { at, written })
      }
      before = facts
    }
  }

  /** Names that one of the first states has, in the order of their first write. */
  names(states: number): readonly string[] {
    return [...this.#byName].filter(([, [first]]) => first!.at < states).map(([name]) => name)
  }

  /** The write since which the last of the first states has its value; undefined: not known. */
  last(name: string, states: number): Written | undefined {
    const writes = this.#byName.get(name) ?? []
    const written = writes[firstIndexWhere(writes, ({ at }) => at >= states) - 1]?.written
    return written?.sinceMs === undefined ? undefined : written
  }

  #add(name: string, write: Write): void {
    const writes = this.#byName.get(name)
    if (writes !== undefined) writes.push(write)
    else if (this.#byName.size < NAMES_MAX) this.#byName.set(name, [write])
  }
}
