/** The CSV that each CSV replaces. */
import { groupBy } from '../../base/group-by.ts'
import type { CsvFacts } from '../../model/object-facts.ts'
import { type ObjectHistory, bornMs, versionOf } from './cluster-history.ts'
import { csvPath, isBeingReplaced } from './csv-path.ts'

type Csv = ObjectHistory<CsvFacts>

export interface Predecessor {
  readonly csv: Csv
  readonly version: string
  /** It succeeded. */
  readonly hasRun: boolean
}

/**
 * Of those that existed at its creation: the one it names, which may be created at the same time, else one that is being
 * replaced, else the newest.
 *
 * @param csvs oldest creation first
 */
export function csvPredecessors(csvs: readonly Csv[]): ReadonlyMap<Csv, Predecessor> {
  const found = new Map<Csv, Predecessor>()
  const known = new Map<Csv, Predecessor>()
  const [earlier, leaving]: [Csv[], Csv[]] = [[], []]
  const byName = new Map<string, Csv[]>()
  for (const [timeMs, born] of groupBy(csvs, bornMs)) {
    const twins = groupBy(
      born.filter((csv) => !isGoneBefore(csv, timeMs)),
      ({ name }) => name,
    )
    for (const csv of born) {
      const replaces = csv.states.at(-1)!.facts.replaces ?? ''
      const twin = twins.get(replaces)?.findLast((other) => other !== csv)
      const best = twin ?? newestAt(byName.get(replaces) ?? [], timeMs) ?? newestAt(leaving, timeMs)
      const before = best ?? newestAt(earlier, timeMs)
      if (before === undefined) continue
      if (!known.has(before)) known.set(before, toPredecessor(before))
      found.set(csv, known.get(before)!)
    }
    for (const csv of born) {
      earlier.push(csv)
      if (csv.states.some(({ facts }) => isBeingReplaced(facts.phase))) leaving.push(csv)
      const same = byName.get(csv.name)
      if (same === undefined) byName.set(csv.name, [csv])
      else same.push(csv)
    }
  }
  return found
}

function isGoneBefore({ gone }: Csv, timeMs: number): boolean {
  return gone !== undefined && gone.atMs < timeMs
}

/** The last one that exists. Times rise from call to call, so what is gone may be dropped. */
function newestAt(csvs: Csv[], timeMs: number): Csv | undefined {
  while (csvs.length > 0 && isGoneBefore(csvs.at(-1)!, timeMs)) csvs.pop()
  return csvs.at(-1)
}

function toPredecessor(csv: Csv): Predecessor {
  return { csv, version: versionOf(csv), hasRun: csvPath(csv).some(({ phase }) => phase === 'Succeeded') }
}
