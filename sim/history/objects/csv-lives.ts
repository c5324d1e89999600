import type { ClusterHistory, CsvLife, CsvStep } from '../cluster-history.ts'

/**
 * All CSVs of HCO that a cluster ever had, with their ends: the one that is replaced goes a few seconds after the new one
 * succeeded, one that is given up goes with the next.
 */
export function csvLives(history: ClusterHistory): readonly CsvLife[] {
  const lives: CsvLife[] = []
  /** Standing CSVs, the newest last. */
  let standing: CsvLife[] = [history.firstCsv]
  const leave = (life: CsvLife, steps: readonly CsvStep[], goneMs: number): CsvLife => ({
    ...life,
    steps: [...life.steps.filter(({ atMs }) => atMs < (steps[0]?.atMs ?? goneMs)), ...steps],
    goneMs,
  })
  for (const upgrade of history.upgrades) {
    const { csv, csvSucceededMs, abortedMs, returned } = upgrade
    if (csv.createdMs === Infinity) continue
    const last = standing.at(-1)!
    const replacing: CsvStep = {
      atMs: csv.createdMs,
      phase: 'Replacing',
      reason: 'BeingReplaced',
      message: `being replaced by csv: kubevirt-hyperconverged-operator`,
    }
    standing = [...standing.slice(0, -1), leave(last, [replacing], Infinity), csv]
    if (csvSucceededMs < Infinity) {
      const old = standing.slice(0, -1)
      const deletingMs = csvSucceededMs + 4000
      for (const life of old) {
        const deleting = {
          atMs: deletingMs,
          phase: 'Deleting',
          reason: 'Replaced',
          message: 'has been replaced by a newer ClusterServiceVersion that has successfully installed.',
        }
        const steps = life.steps.filter(({ phase, atMs }) => phase === 'Replacing' && atMs < deletingMs)
        lives.push(leave(life, [...steps, deleting], deletingMs + 2000))
      }
      standing = [csv]
    } else if (returned !== undefined) {
      for (const life of standing) lives.push({ ...life, goneMs: abortedMs })
      standing = [returned]
    }
  }
  return [...lives, ...standing]
}
