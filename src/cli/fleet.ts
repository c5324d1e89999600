/**
 * `daytwo fleet rederive`: derives the facts of all clusters from the stored observations, and reports the differences
 * from the stored facts. A server may run on the same data; it derives new data itself.
 */
import { systemClock } from '../base/clock.ts'
import { OPTIONS } from '../config/config.ts'
import { changedTraces } from '../fleet/loop/upgrade-traces.ts'
import { deriveMerged } from '../fleet/loop/derivation-stage.ts'
import { removalOf } from '../fleet/loop/merge-facts.ts'
import { parseDuration } from '../model/duration.ts'
import type { FactsChange, ListChange } from '../model/fleet-facts.ts'
import { openFacts } from '../store/facts/facts.ts'
import { openObservationsForReading } from '../store/observations/observation-reader.ts'
import { openSpansForReading } from '../store/spans/span-reader.ts'
import { openDerivedTraces } from '../store/spans/spans.ts'
import { inputError, parseArguments, unexpected } from './arguments.ts'
import type { Command } from './command.ts'
import { DATA_HELP, dataFolder } from './data-folder.ts'

const SAME = 0
const DIFFERENT = 1

export const fleetCommand: Command = {
  help: () =>
    [
      'Usage: daytwo fleet rederive [--write] [--cluster NAME] [--data DIR]',
      '',
      'Recomputes the facts of every cluster from all stored data (objects, metrics, spans) and lists',
      'the differences from the stored facts. Exit code 0 without differences, 1 with differences, 2 for wrong',
      'usage. A server may be running on the same data; what reached it within the last second may show as a difference.',
      '',
      '  --write\n      Also writes what is different, and the traces of upgrades that are.',
      '  --cluster NAME\n      Only this cluster.',
      `  --retention.objects DURATION\n      As given to the server (default ${OPTIONS['retention.objects'].default}): facts that ended longer ago stay as they are.`,
      DATA_HELP,
    ].join('\n'),
  run: async (args) => {
    const { words, options } = parseArguments(
      args,
      new Set(['data', 'cluster', 'retention.objects']),
      new Set(['write']),
    )
    if (words.length !== 1 || words[0] !== 'rederive') {
      throw unexpected('daytwo fleet', words.join(' '), 'rederive')
    }
    const kept = options.get('retention.objects') ?? OPTIONS['retention.objects'].default
    const keptMs = parseDuration(kept)
    if (keptMs === undefined) {
      throw unexpected('option --retention.objects', kept, 'a duration')
    }
    const evidenceFromMs = systemClock.nowMs() - keptMs
    return rederive(dataFolder(options), evidenceFromMs, options.get('cluster'), options.get('write') === 'true')
  },
}

async function rederive(
  dir: string,
  evidenceFromMs: number,
  only: string | undefined,
  writes: boolean,
): Promise<number> {
  // First, because it migrates an older schema.
  const facts = openFacts(dir)
  const observations = openObservationsForReading(dir)
  const spans = openSpansForReading(dir)
  const traces = openDerivedTraces(dir)
  try {
    const [observed, told] = [await observations.changedSince(0), await spans.changedSince(0)]
    const joins = await observations.joins()
    const all = [...new Set([...observed.clusters, ...told.clusters].map((name) => joins.get(name) ?? name))].sort()
    const clusters = only === undefined ? all : all.filter((cluster) => cluster === only)
    if (only !== undefined && clusters.length === 0) {
      throw inputError(`daytwo fleet rederive: no data is stored for a cluster ${JSON.stringify(only)}`)
    }
    let different = 0
    for (const cluster of clusters) {
      const parts = { observations, spans, facts: facts.fleet }
      const merged = await deriveMerged(parts, cluster, evidenceFromMs)
      const { stored: before, facts: after, change } = merged
      if (change === undefined) continue
      different++
      console.log(lineOf(change))
      if (!writes) continue
      // Facts last, as in the server: they determine the traces to write.
      const changed = await changedTraces(before, after, change, facts.alertRuns)
      if (changed.length > 0) traces.replaceSpans(changed, systemClock.nowMs())
      await facts.fleet.write({ changes: [...merged.absorbed.map(removalOf), change], meta: [] })
    }
    const outcome = different === 0 ? 'all as written' : `${different} different${writes ? ', and written' : ''}`
    console.log(`${clusters.length} clusters derived, ${outcome}`)
    return different === 0 || writes ? SAME : DIFFERENT
  } finally {
    traces.close()
    spans.close()
    observations.close()
    facts.close()
  }
}

function lineOf({ cluster, record, upgrades, intervals, modifications }: FactsChange): string {
  const lists = {
    upgrades: namesOf(upgrades, ({ upgrade }) => upgrade.id),
    intervals: namesOf(intervals, ({ operator, version }) => `${operator} ${version}`),
    modifications: namesOf(modifications, ({ id }) => id),
  }
  const parts = Object.entries(lists).flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${what} ${names.join(', ')}`],
  )
  return `${cluster}: ${[...(record === undefined ? [] : ['record']), ...parts].join('; ')}`
}

function namesOf<T>({ removed, put }: ListChange<T>, nameOf: (one: T) => string): readonly string[] {
  return [...new Set([...removed, ...put].map(nameOf))].sort()
}
