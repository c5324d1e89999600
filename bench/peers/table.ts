/** The one table: a row a figure, a column a server, and the ratio against each peer. */
import type { PeerResult } from './scenarios.ts'

interface Row {
  readonly name: string
  readonly values: readonly number[]
  readonly show: (value: number) => string
  /** Ratios are Daytwo's figure over the peer's; above one is better for rates, below one for costs. */
  readonly goal: 'more' | 'less'
}

/** @param results Daytwo's first */
export function renderTable(results: readonly PeerResult[]): string {
  const rows = rowsOf(results)
  const [, ...peers] = results.map(({ peer }) => peer.name)
  const head = ['', ...results.map(({ peer }) => peer.name), ...peers.map((name) => `/ ${name}`)]
  const body = rows.map(({ name, values, show, goal }) => {
    const [ours, ...theirs] = values
    const ratios = theirs.map((value) => ratioOf(ours!, value, goal))
    return [name, ...values.map(show), ...ratios]
  })
  return renderColumns([head, ...body])
}

/** Where answers differ: a cost is worth nothing when the answer is another one. */
export function renderDifferences(results: readonly PeerResult[]): string[] {
  const [ours, ...peers] = results
  if (ours === undefined) return []
  return peers.flatMap((peer) => {
    const pairs = [
      ...ours.queries.map(([query, cost], i) => [query.name, cost.answer, peer.queries[i]![1].answer] as const),
      ['the rules', ours.rules.answer, peer.rules.answer] as const,
    ]
    return pairs
      .filter(([, a, b]) => a.series !== b.series || a.points !== b.points || !isNear(a.sum, b.sum))
      .map(
        ([name, a, b]) =>
          `answers differ: ${name}: Daytwo ${a.series} series, ${a.points} points, sum ${a.sum.toPrecision(9)};` +
          ` ${peer.peer.name} ${b.series}, ${b.points}, ${b.sum.toPrecision(9)}`,
      )
  })
}

function rowsOf(results: readonly PeerResult[]): Row[] {
  const rate = (value: number): string => `${(value / 1e6).toFixed(3)} M`
  const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ms`
  const row = (name: string, goal: Row['goal'], show: Row['show'], value: (result: PeerResult) => number): Row => ({
    name,
    goal,
    show,
    values: results.map(value),
  })
  const perCpu = 'samples per CPU second'
  return [
    row(`${perCpu}, 2,000 a request`, 'more', rate, ({ large }) => large.samplesPerCpuSecond),
    row(`${perCpu}, 60 a request`, 'more', rate, ({ small }) => small.samplesPerCpuSecond),
    row(`${perCpu}, all series new`, 'more', rate, ({ allNew }) => allNew.samplesPerCpuSecond),
    row('ack p50, 2,000 a request', 'less', ms, ({ large }) => large.ackMsP50),
    row('ack p99, 2,000 a request', 'less', ms, ({ large }) => large.ackMsP99),
    row('ack p50, 60 a request', 'less', ms, ({ small }) => small.ackMsP50),
    row('ack p99, 60 a request', 'less', ms, ({ small }) => small.ackMsP99),
    row(
      'peak memory, all series new',
      'less',
      (value) => `${(value / 1e6).toFixed(0)} MB`,
      ({ peakBytesAllNew }) => peakBytesAllNew,
    ),
    row(
      'disk, 6 h, bytes a sample',
      'less',
      (value) => value.toFixed(3),
      ({ diskBytesPerSample }) => diskBytesPerSample,
    ),
    ...(results[0]?.queries ?? []).map(([query], i) =>
      row(`CPU, ${query.name}`, 'less', ms, ({ queries }) => queries[i]![1].cpuMs),
    ),
    row('CPU, all fleet rules once', 'less', ms, ({ rules }) => rules.cpuMs),
  ]
}

/** Costs are turned round where that reads better: `1/24 x` rather than `0.04 x`. */
function ratioOf(ours: number, theirs: number, goal: Row['goal']): string {
  const ratio = ours / theirs
  if (!Number.isFinite(ratio) || ratio === 0) return 'n/a'
  if (goal === 'less' && ratio < 0.1) return `1/${(1 / ratio).toFixed(0)} x`
  return `${ratio.toFixed(2)} x`
}

/** As Markdown, so that it can be kept as it was printed. */
function renderColumns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(' | ')} |`
  const rule = `|${widths.map((width, i) => (i === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [line(rows[0]!), rule, ...rows.slice(1).map(line)].join('\n')
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b), 1)
}
