/** The matching commands of the command menu, a few of each group. Pure. */

export interface CommandGroup<T> {
  readonly title: string
  readonly commands: readonly T[]
  /** The number of all, when these are only the first. */
  readonly total?: number
  /** Always after the other groups. */
  readonly isLast?: boolean
}

export interface ShownGroup<T> {
  readonly title: string
  readonly shown: readonly T[]
  /** The number of all matches. */
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

/** The longest word, for the server's search of one text; the client filters by the others. */
export function searchWord(typed: string): string {
  return typed.split(/\s+/).reduce((longest, word) => (word.length > longest.length ? word : longest), '')
}

/** Commands that contain every typed word, best match first. */
export function matchCommands<T extends { readonly label: string }>(commands: readonly T[], typed: string): T[] {
  const words = wordsOf(typed)
  if (words.length === 0) return [...commands]
  return commands
    .map((command, place) => ({ command, place, score: scoreOf(command.label.toLowerCase(), words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .map(({ command }) => command)
}

/** The score of a label; 0: no match, or nothing typed. */
export function scoreOfLabel(label: string, typed: string): number {
  return scoreOf(label.toLowerCase(), wordsOf(typed))
}

function wordsOf(typed: string): string[] {
  return typed.toLowerCase().split(/\s+/).filter(Boolean)
}

/** 0: a word is missing. A word at the start counts most, one inside a camel-case name least. */
function scoreOf(label: string, words: readonly string[]): number {
  let score = 0
  for (const word of words) {
    const at = label.indexOf(word)
    if (at < 0) return 0
    score += at === 0 ? 3 : /\W/.test(label[at - 1] ?? '') ? 2 : 1
  }
  return score
}
