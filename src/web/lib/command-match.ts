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
