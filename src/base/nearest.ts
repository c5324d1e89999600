/** Suggests known names for a name that is not known. */

/** Help for an unknown name; `undefined` when no known name is near. */
export function didYouMean(typed: string, known: Iterable<string>): string | undefined {
  const [near] = nearest(typed, known, 1)
  return near === undefined ? undefined : `did you mean ${near}?`
}

/** How many single-character edits (insert, delete, replace) lead from `a` to `b`. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const replace = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      current.push(Math.min(replace, previous[j]! + 1, current[j - 1]! + 1))
    }
    previous = current
  }
  return previous[b.length]!
}

/**
 * At most `count` known names, the nearest first, ignoring case; only plausible typing errors (an edit distance of at
 * most a third of the longer name, or one name contains the other).
 */
export function nearest(typed: string, known: Iterable<string>, count = 3): string[] {
  const wanted = typed.toLowerCase()
  return [...known]
    .map((name) => {
      const lower = name.toLowerCase()
      const isPart = wanted.length >= 4 && (lower.includes(wanted) || wanted.includes(lower))
      return { name, distance: editDistance(wanted, lower), isPart }
    })
    .filter(({ name, distance, isPart }) => isPart || distance <= Math.max(name.length, typed.length) / 3)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, count)
    .map(({ name }) => name)
}
