import type { Explained, ExplainedNode, ExplainedRead } from '../contract/explain.ts'

/** An explanation as a tree for a terminal: one line per part, and below selectors one line per read. */
export function renderExplanation(explained: Explained): string {
  const { busyMs, waitedMs, steps, samplesRead, samplesMax, resultBytes, resultBytesMax } = explained
  const head = [
    `${steps} ${steps === 1 ? 'step' : 'steps'}, ${ms(busyMs)} of processor time` +
      (waitedMs >= 1 ? `, and ${ms(waitedMs)} waited for others` : ''),
    `${count(samplesRead)} of ${count(samplesMax)} samples read, ${bytes(resultBytes)} of ${bytes(resultBytesMax)} for results`,
  ]
  return [...head, '', ...linesOf(explained.root, '', '')].join('\n')
}

/** @param first the prefix of the node's own line, `rest` of all lines below it */
function linesOf(node: ExplainedNode, first: string, rest: string): string[] {
  const { children, reads } = node
  const below = children.length > 0 ? '│ ' : '  '
  return [
    `${first}${titleOf(node)}  ${factsOf(node).join(', ')}`,
    ...reads.flatMap((read) => readLines(read).map((line) => `${rest}${below}  ${line}`)),
    ...children.flatMap((child, i) => {
      const isLast = i === children.length - 1
      return linesOf(child, `${rest}${isLast ? '└─' : '├─'} `, `${rest}${isLast ? '   ' : '│  '}`)
    }),
  ]
}

const TITLE_CHARS = 100

function titleOf({ text }: ExplainedNode): string {
  return text.length <= TITLE_CHARS ? text : `${text.slice(0, TITLE_CHARS - 1)}…`
}

function factsOf({ result, ownMs, totalMs, children, ...node }: ExplainedNode): string[] {
  const facts = []
  if (node.repeats > 0) facts.push('as evaluated before')
  if (result?.type === 'vector' || result?.type === 'matrix')
    facts.push(`${count(result.series)} series, ${count(result.samples)} values`)
  facts.push(children.length === 0 ? ms(totalMs) : `${ms(ownMs)} of ${ms(totalMs)}`)
  if (node.isStepInvariant && result !== undefined && result.type !== 'scalar' && result.type !== 'string')
    facts.push('one step, fixed by @')
  if (node.groupsKnown + node.groupsMade > 0) facts.push(node.groupsMade === 0 ? 'groups known' : 'groups worked out')
  return facts
}

const SOURCES: Readonly<Record<ExplainedRead['source'], string>> = {
  newest: 'newest samples',
  runs: 'runs',
  rollups: 'rollups',
  samples: 'samples',
}

function readLines(read: ExplainedRead): string[] {
  const { source, widthMs, seriesRead, seriesMatched, portions, readMs, store } = read
  const what = source === 'rollups' ? `rollups of ${span(widthMs ?? 0)}` : SOURCES[source]
  const amount =
    source === 'rollups'
      ? `${count(read.buckets)} buckets`
      : source === 'runs'
        ? `${count(read.samples)} samples in ${count(read.runs)} runs`
        : `${count(read.samples)} samples`
  const how = source === 'runs' && read.kernel === 'samples' ? ', computed of single samples' : ''
  const time = readMs > 0 ? `, ${ms(readMs)}` : ''
  const series = `${count(seriesRead)} of ${count(seriesMatched)} series`
  const lines = [
    `${what}: ${amount} of ${series} in ${count(portions)} ${portions === 1 ? 'portion' : 'portions'}${time}${how}`,
  ]
  if (store !== undefined) lines.push(`  ${storeFacts(store, source).join('; ')}`)
  return [...lines, ...read.reasons.map((reason) => `  ${reason}`)]
}

function storeFacts(store: NonNullable<ExplainedRead['store']>, source: ExplainedRead['source']): string[] {
  const facts = [store.isMatchKnown ? 'matched before' : 'matched now']
  if (source === 'rollups') {
    for (const { widthMs, count: buckets } of store.buckets)
      facts.push(
        widthMs === 0 ? `${count(buckets)} buckets made of samples` : `${count(buckets)} stored of ${span(widthMs)}`,
      )
    return facts
  }
  facts.push(`head ${count(store.headRuns)}, packs ${count(store.packRuns)}`)
  if (store.packs > 0)
    facts.push(`${count(store.packs)} packs, ${count(store.packsKept)} in memory, ${bytes(store.packBytes)} read`)
  return facts
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}

function ms(value: number): string {
  return value >= 10 ? `${value.toFixed(0)} ms` : `${value.toPrecision(2)} ms`
}

function bytes(value: number): string {
  if (value < 10_000) return `${value} B`
  return value < 10_000_000 ? `${(value / 1000).toFixed(0)} kB` : `${(value / 1e6).toFixed(0)} MB`
}

function span(widthMs: number): string {
  const minutes = widthMs / 60_000
  return minutes % 1440 === 0 ? `${minutes / 1440} d` : minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} m`
}
