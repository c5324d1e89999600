import { matchCommands, scoreOfLabel } from './command-match.ts'

/** What the command menu shows: commands by what they are, those that match, a few of each. Pure. */

export interface CommandGroup<T> {
  readonly title: string
  readonly commands: readonly T[]
  /** How many there are elsewhere, when these are only the first of them. */
  readonly total?: number
  /** What can always be done with what is typed: after all others, however well it matches. */
  readonly isLast?: boolean
}

export interface ShownGroup<T> {
  readonly title: string
  readonly shown: readonly T[]
  /** All that match. */
  readonly count: number
}

/**
 * @param perGroup commands of one group that are shown
 * @returns groups with anything that matches, the one with the best match first, and what can always be done last
 */
export function shownGroups<T extends { readonly label: string }>(
  groups: readonly CommandGroup<T>[],
  typed: string,
  perGroup: number,
): readonly ShownGroup<T>[] {
  return groups
    .map(({ title, commands, total = 0, isLast = false }, place) => {
      const found = matchCommands(commands, typed)
      const [best] = found
      return {
        place,
        isLast,
        score: best === undefined ? 0 : scoreOfLabel(best.label, typed),
        group: { title, shown: found.slice(0, perGroup), count: Math.max(found.length, found.length > 0 ? total : 0) },
      }
    })
    .filter(({ group }) => group.shown.length > 0)
    .sort((a, b) => Number(a.isLast) - Number(b.isLast) || b.score - a.score || a.place - b.place)
    .map(({ group }) => group)
}

/** The word a server is asked for: it looks for one text, and all others are looked for here. */
export function searchWord(typed: string): string {
  return typed.split(/\s+/).reduce((longest, word) => (word.length > longest.length ? word : longest), '')
}
