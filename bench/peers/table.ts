/** The one table: a row a figure, a column a server, the ratio against each peer, and whether the aim is met. */
import { FIGURES, SHOW, type Figure, type ScenarioName } from './figures.ts'
import type { KeptRun, KeptServer, ScenarioResult } from './results.ts'

/** Servers stand in this order; the first one is what the others are compared to. */
const ORDER = ['Daytwo', 'VictoriaMetrics', 'Prometheus'] as const

/** As Markdown, so that it can be kept as it was printed. */
export function renderTable(run: KeptRun): string {
  const servers = inOrder(run)
  const peers = servers.filter(({ name }) => name !== ORDER[0])
  const head = ['', ...servers.map(({ name }) => name), ...peers.map(({ name }) => `/ ${name}`), 'aim']
  const rows = FIGURES.map((figure) => ({ figure, values: servers.map((server) => valueOf(server, figure.id)) }))
    .filter(({ values }) => values.some((value) => value !== undefined))
    .map(({ figure, values }) => {
      const ours = servers[0]?.name === ORDER[0] ? values[0] : undefined
      const theirs = peers.map((peer) => values[servers.indexOf(peer)])
      const shown = values.map((value) => (value === undefined ? '-' : SHOW[figure.unit](value)))
      return [figure.name, ...shown, ...theirs.map((value) => ratioOf(figure, ours, value)), aimOf(figure, servers)]
    })
  return renderColumns([head, ...rows])
}

/** Where answers differ, a cost is worth nothing; and what else must be known. */
export function renderNotes(run: KeptRun): string[] {
  const servers = inOrder(run)
  const [first, ...others] = servers
  if (first === undefined) return []
  const differences = others.flatMap((other) => differencesOf(first, other))
  const notes = servers.flatMap((server) =>
    scenariosOf(server).flatMap(([name, { notes }]) => (notes ?? []).map((note) => `${server.name}, ${name}: ${note}`)),
  )
  const senders = servers.flatMap((server) =>
    scenariosOf(server).flatMap(([name, { figures, load }]) => {
      const share = figures['senderShare']
      return share === undefined ? [] : [`${server.name}, ${name}: sender ${percent(share)}, load ${load.join(' to ')}`]
    }),
  )
  return [...differences, ...notes, ...senders]
}

function inOrder(run: KeptRun): KeptServer[] {
  const at = ({ name }: KeptServer): number => ORDER.findIndex((known) => known === name)
  return [...run.servers].sort((a, b) => at(a) - at(b))
}

function scenariosOf(server: KeptServer): [ScenarioName, NonNullable<KeptServer['scenarios'][ScenarioName]>][] {
  return Object.entries(server.scenarios) as ReturnType<typeof scenariosOf>
}

function valueOf(server: KeptServer, id: string): number | undefined {
  const [scenario, what] = id.split('/') as [ScenarioName, string]
  return server.scenarios[scenario]?.figures[what]
}

/** Costs are turned round where that reads better: `1/24 x` rather than `0.04 x`. */
function ratioOf({ goal }: Figure, ours: number | undefined, theirs: number | undefined): string {
  if (ours === undefined || theirs === undefined) return '-'
  const ratio = ours / theirs
  if (!Number.isFinite(ratio) || ratio === 0) return 'n/a'
  return `${goal === 'less' ? showCost(ratio) : ratio.toFixed(2)} x`
}

function showCost(ratio: number): string {
  return ratio < 0.1 ? `1/${(1 / ratio).toFixed(0)}` : ratio.toFixed(2)
}

function aimOf(figure: Figure, servers: readonly KeptServer[]): string {
  const [ours, ...theirs] = ORDER.map((wanted) => {
    const server = servers.find(({ name }) => name === wanted)
    return server === undefined ? undefined : valueOf(server, figure.id)
  })
  const aims: string[] = []
  for (const [at, wanted] of [figure.victoria, figure.prometheus].entries()) {
    if (wanted === undefined) continue
    const shown = figure.goal === 'less' ? showCost(wanted) : String(wanted)
    aims.push(
      `${shown} x ${verdict(ours, theirs[at], (a, b) => (figure.goal === 'more' ? a / b >= wanted : a / b <= wanted))}`,
    )
  }
  const { atMost } = figure
  if (atMost !== undefined) aims.push(`${SHOW[figure.unit](atMost)} ${verdict(ours, atMost, (a, b) => a <= b)}`)
  return aims.join(', ')
}

function verdict(
  ours: number | undefined,
  theirs: number | undefined,
  isMet: (a: number, b: number) => boolean,
): string {
  if (ours === undefined || theirs === undefined) return '?'
  return isMet(ours, theirs) ? 'met' : 'missed'
}

function differencesOf(first: KeptServer, other: KeptServer): string[] {
  return scenariosOf(first).flatMap(([scenario, result]) => {
    const theirs: ScenarioResult | undefined = other.scenarios[scenario]
    return Object.entries(result.answers ?? {}).flatMap(([question, a]) => {
      const b = theirs?.answers?.[question]
      if (b === undefined || (a.series === b.series && a.points === b.points && isNear(a.sum, b.sum))) return []
      return [
        `answers differ: ${scenario}, ${question}: ${first.name} ${a.series} series, ${a.points} points, sum` +
          ` ${a.sum.toPrecision(9)}; ${other.name} ${b.series}, ${b.points}, ${b.sum.toPrecision(9)}`,
      ]
    })
  })
}

function renderColumns(rows: readonly (readonly string[])[]): string {
  const last = rows[0]!.length - 1
  const isLeft = (column: number): boolean => column === 0 || column === last
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, i) => (isLeft(i) ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(' | ')} |`
  const rule = widths.map((width, i) => (isLeft(i) ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`))
  return [line(rows[0]!), `|${rule.join('|')}|`, ...rows.slice(1).map(line)].join('\n')
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b), 1)
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} % of a core`
}
