/**
 * All shipped rules over 10,000 simulated clusters: the rule engine as the query worker runs it, on a real store, writer
 * and reader in this process. Before each evaluation the next scrape of every cluster arrives, so nothing can be answered
 * from what was answered before. Every group is evaluated each time, whatever its interval; what is derived (recorded
 * series, `ALERTS`) and the states of alerts are written to the store, and that is in the figure.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { loadCatalog } from '../src/catalog/catalog.ts'
import { createDerivedReceiver, createDerivedSender } from '../src/threads/derived-lane.ts'
import type { Labels } from '../src/model/labels.ts'
import type { SeriesRef } from '../src/model/series.ts'
import { metricNamesOf } from '../src/promql/ast.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../src/promql/engine-options.ts'
import { createLocalEngine } from '../src/promql/engine.ts'
import { parseExpr } from '../src/promql/parse.ts'
import { createRuleEngine, type RuleEngine } from '../src/rules/engine.ts'
import { loadRuleFiles } from '../src/rules/rule-file.ts'
import type { RuleGroup } from '../src/rules/rule.ts'
import { createFleet, type Fleet } from '../sim/fleet.ts'
import { STORE_DEFAULTS } from '../src/store/options.ts'
import { openReader, type StoreReader } from '../src/store/reader.ts'
import { openWriter, type StoreWriter } from '../src/store/writer.ts'

const ROOT = resolve(import.meta.dirname, '..')
const START_MS = Date.UTC(2026, 7, 20, 10)
const SCRAPE_MS = 30_000
/** Before the first evaluation: alerts of a few minutes are waiting by then. */
const SCRAPES_BEFORE = 24
const WARMUPS = 3
const EVALUATIONS = 7
const SLOWEST = 15
const REPLICA_LABEL = 'prometheus_replica'

/** Prints the cost of an evaluation and of the dearest rules. `quick`: a twentieth of the clusters. */
export async function run({ quick = false }: { readonly quick?: boolean } = {}): Promise<void> {
  const clusters = quick ? 500 : 10_000
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-bench-'))
  try {
    const options = { ...STORE_DEFAULTS, dir }
    const writer = openWriter(options, START_MS)
    const reader = openReader(options, writer.share())
    await measure(clusters, writer, reader)
    reader.close()
    await writer.close()
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function measure(clusters: number, writer: StoreWriter, reader: StoreReader): Promise<void> {
  const groups = shippedGroups()
  const ruleCount = groups.reduce((sum, { rules }) => sum + rules.length, 0)
  const fleet = createFleet({
    seed: 'bench',
    clusters,
    startMs: START_MS,
    presentMs: START_MS + SCRAPES_BEFORE * SCRAPE_MS,
  })
  const scrape = scraper(fleet, writer, groups)
  for (let i = 0; i < SCRAPES_BEFORE; i++) await scrape(START_MS + i * SCRAPE_MS)

  const rules = engineOf(groups, writer, reader)
  const costsMs: number[] = []
  const ruleCosts = new RuleCosts()
  for (let i = 0; i < 1 + WARMUPS + EVALUATIONS; i++) {
    const timeMs = START_MS + (SCRAPES_BEFORE + i) * SCRAPE_MS
    await scrape(timeMs)
    reader.recordGrowth(timeMs)
    const before = process.cpuUsage()
    const { groups: reports } = await rules.evaluate(timeMs)
    const { user, system } = process.cpuUsage(before)
    costsMs.push((user + system) / 1000)
    if (i > WARMUPS) ruleCosts.add(rules)
    const errors = reports.flatMap((report) => report.errors)
    if (errors.length > 0)
      throw new Error(`rules failed: ${errors.map(({ rule, message }) => `${rule}: ${message}`).join('; ')}`)
  }
  const [coldMs = 0, ...later] = costsMs
  const warm = later.slice(WARMUPS)
  const alerts = rules.alerts()
  console.log(
    `${clusters} clusters, ${scrape.seriesCount()} series that rules read, ${ruleCount} rules in ${groups.length} groups`,
  )
  console.log(`${alerts.length} alerts, ${alerts.filter(({ state }) => state === 'firing').length} of them firing\n`)
  print('all rules, first evaluation', coldMs)
  print(`all rules, mean of ${EVALUATIONS} after ${WARMUPS} more`, mean(warm))
  print('at their own intervals, of a core', ruleCosts.shareOfCore(groups) * 1000, 'ms a second')
  ruleCosts.report()
}

/** As they ship, with one interval for all. */
function shippedGroups(): RuleGroup[] {
  const folders = { rulesDir: 'alert-rules', runbooksDir: 'runbooks', dashboardsDir: 'dashboards' }
  const { ruleFiles } = loadCatalog({
    rulesDir: join(ROOT, folders.rulesDir),
    runbooksDir: join(ROOT, folders.runbooksDir),
    dashboardsDir: join(ROOT, folders.dashboardsDir),
  })
  return loadRuleFiles(ruleFiles).groups
}

interface Scraper {
  /** Appends and commits what the whole fleet sends of one time, as far as rules read it. */
  (timeMs: number): Promise<void>
  seriesCount(): number
}

function scraper(fleet: Fleet, writer: StoreWriter, groups: readonly RuleGroup[]): Scraper {
  const read = new Set(groups.flatMap(({ rules }) => rules.flatMap(({ expr }) => metricNamesOf(parseExpr(expr)))))
  /** By the label set that the simulation keeps; undefined: not read, or of a replica that stands by. */
  const refs = new Map<Labels, SeriesRef | undefined>()
  const refOf = (labels: Labels): SeriesRef | undefined => {
    if (refs.has(labels)) return refs.get(labels)
    const isTaken = read.has(labels.metricName) && !labels.get(REPLICA_LABEL).endsWith('1')
    const ref = isTaken ? writer.appender.resolve(labels.with(REPLICA_LABEL, '')) : undefined
    refs.set(labels, ref)
    return ref
  }
  const scrape = async (timeMs: number): Promise<void> => {
    for (const { labels, timeMs: atMs, value, isStale } of fleet.samplesAt(timeMs)) {
      const ref = refOf(labels)
      if (ref === undefined) continue
      if (isStale) writer.appender.appendStale(ref, atMs)
      else writer.appender.append(ref, atMs, value)
    }
    await writer.appender.commit()
  }
  return Object.assign(scrape, { seriesCount: () => new Set(refs.values()).size })
}

function engineOf(groups: readonly RuleGroup[], writer: StoreWriter, reader: StoreReader): RuleEngine {
  const stopwatchMs = (): number => performance.now()
  const query = createLocalEngine({ queryable: reader, options: DEFAULT_ENGINE_OPTIONS, nowMs: stopwatchMs })
  const rules = createRuleEngine({
    groups: groups.map((group) => ({ ...group, intervalMs: SCRAPE_MS })),
    query: (expr, timeMs) => query.instant({ expr, timeMs }),
    appendDerived: createDerivedSender(createDerivedReceiver(writer.appender)),
    states: {
      load: () => Promise.resolve(new Map()),
      replaceGroup: (key, records) => writer.facts.alertStates.replaceGroup(key, records),
    },
    externalUrl: 'https://daytwo.example',
    offsetOf: () => 0,
    stopwatchMs,
  })
  void rules.restore(START_MS)
  return rules
}

/** The least that each group and rule took: what other work of the machine added is left out. */
class RuleCosts {
  readonly #groups: number[] = []
  readonly #rules = new Map<string, number>()

  add(rules: RuleEngine): void {
    for (const [at, group] of rules.groups().entries()) {
      this.#groups[at] = Math.min(this.#groups[at] ?? Infinity, group.evaluationMs)
      for (const { name, ruleKey, evaluationMs, lastSamples } of group.rules) {
        const key = `${name} (${group.name}, ${ruleKey.split('/')[1] ?? ''}, ${lastSamples} samples)`
        this.#rules.set(key, Math.min(this.#rules.get(key) ?? Infinity, evaluationMs))
      }
    }
  }

  /** What the groups cost a second when each is evaluated as often as its file says. */
  shareOfCore(groups: readonly RuleGroup[]): number {
    return groups.reduce((sum, { intervalMs }, at) => sum + (this.#groups[at] ?? 0) / intervalMs, 0)
  }

  report(): void {
    console.log(`\nthe ${SLOWEST} dearest, without writing:`)
    const sorted = [...this.#rules].sort(([, a], [, b]) => b - a)
    for (const [name, costMs] of sorted.slice(0, SLOWEST)) print(name, costMs)
  }
}

function print(text: string, figure: number, unit = 'ms'): void {
  console.log(`  ${figure.toFixed(1).padStart(8)} ${unit}  ${text}`)
}

function mean(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length
}
