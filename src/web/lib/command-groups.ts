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

/** Finds commands by what somebody types: every word must occur, the earlier and the more whole the better. Pure. */
export function matchCommands<T extends { readonly label: string }>(commands: readonly T[], typed: string): T[] {
  const words = wordsOf(typed)
  if (words.length === 0) return [...commands]
  return commands
    .map((command, place) => ({ command, place, score: scoreOf(command.label.toLowerCase(), words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .map(({ command }) => command)
}

/** How well a label answers what is typed; 0: not at all, or nothing is typed. */
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
