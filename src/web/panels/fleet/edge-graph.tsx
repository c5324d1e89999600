import { useMemo, type CSSProperties, type ReactNode } from 'react'
import { graphlib, layout } from '@dagrejs/dagre'
import { Link } from 'wouter'
import type { EdgeItem } from '../../../contract/fleet-edges.ts'
import type { StrandedItem } from '../../../contract/fleet-stranded.ts'
import { countOf, formatCount, formatShare } from '../../lib/format-number.ts'
import { edgeKey, edgeName, intervalText } from '../../lib/edge-text.ts'
import type { EdgeWindow } from '../../lib/edge-view.ts'
import { edgePath } from '../../lib/paths.ts'
import { classNames } from '../../ui/class-names.ts'
import { Legend } from '../../ui/legend.tsx'
import styles from './edge-graph.module.css'

interface EdgeGraphProps {
  readonly edges: readonly EdgeItem[]
  /** Over which upgrades; links keep it. */
  readonly window: EdgeWindow
  /** Versions that are marked as stranded. */
  readonly stranded: readonly StrandedItem[]
}

/** Versions and the upgrade paths between them, oldest at the left. The table above has the same data and more. */
export function EdgeGraph({ edges, window, stranded }: EdgeGraphProps): ReactNode {
  const drawn = useMemo(() => layoutOf(edges), [edges])
  const marked = new Set(stranded.map(({ version }) => version))
  const most = Math.max(1, ...edges.map(({ attempts }) => attempts))
  return (
    <div className={`scrolls ${styles.root}`} tabIndex={0} role="group" aria-label="Graph of versions">
      <svg
        style={{ '--graph-size': `${drawn.width}px` } as CSSProperties}
        viewBox={`0 0 ${drawn.width} ${drawn.height}`}
      >
        {drawn.lines.map(({ edge, points, x, y }) => {
          const width = 1.25 + 4 * Math.sqrt(edge.attempts / most)
          const { success } = edge
          const isBad = success !== null && success.high < 0.95 && success.of >= 10
          const rate =
            success === null ? '–' : `${formatShare(edge.outcomes.succeeded, success.of)} of ${formatCount(success.of)}`
          // The label that is seen is a part of the accessible name.
          const ended = success === null ? 'none ended' : `${rate} succeeded (${intervalText(success)})`
          const text = `${edgeName(edge)}: ${countOf(edge.attempts, 'attempt')}, ${ended}`
          return (
            <Link
              key={`${edge.operator} ${edgeKey(edge)}`}
              href={edgePath(edge.operator, edge.from, edge.to, { window })}
              aria-label={text}
            >
              <path
                className={classNames(styles.line, success === null && styles.open, isBad && styles.bad)}
                d={pathOf(points)}
                strokeWidth={width}
              >
                <title>{text}</title>
              </path>
              <rect fill="var(--dt-surface)" x={x - LABEL_WIDTH / 2} y={y - 8} width={LABEL_WIDTH} height={16} rx="3" />
              <text className={classNames(styles.label, isBad && styles.bad)} x={x} y={y + 4} textAnchor="middle">
                {rate}
              </text>
            </Link>
          )
        })}
        {drawn.nodes.map(({ version, x, y }) => (
          <g key={version} transform={`translate(${x - NODE_WIDTH / 2} ${y - NODE_HEIGHT / 2})`} aria-hidden="true">
            <rect
              className={classNames(styles.node, marked.has(version) && styles.stranded)}
              width={NODE_WIDTH}
              height={NODE_HEIGHT}
              rx="5"
            />
            <text
              className={classNames(styles.label, styles.version)}
              x={NODE_WIDTH / 2}
              y={NODE_HEIGHT / 2 + 4}
              textAnchor="middle"
            >
              {marked.has(version) ? `▲ ${version}` : version}
            </text>
          </g>
        ))}
      </svg>
      <Legend>
        Width: attempts; label: success rate of the ended upgrades. Dashed: none ended. Red: at least 10 ended, and the
        upper bound of the success rate is below 95 %.{marked.size === 0 ? '' : ' Triangle: stranded.'}
      </Legend>
    </div>
  )
}

/** A line: the size of its label for dagre, and the positions that dagre computes. */
interface Routed {
  readonly width: number
  readonly height: number
  readonly labelpos: 'c'
  readonly points?: readonly { readonly x: number; readonly y: number }[]
  readonly x?: number
  readonly y?: number
}

const NODE_WIDTH = 72
const NODE_HEIGHT = 26
const MARGIN = 8
const LABEL_WIDTH = 78

function layoutOf(edges: readonly EdgeItem[]) {
  const graph = new graphlib.Graph<object, { width: number; height: number }, Routed>()
  graph.setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 44, marginx: MARGIN, marginy: MARGIN })
  for (const version of new Set(edges.flatMap(({ from, to }) => [from, to]))) {
    graph.setNode(version, { width: NODE_WIDTH, height: NODE_HEIGHT })
  }
  for (const { from, to } of edges) graph.setEdge(from, to, { width: LABEL_WIDTH, height: 16, labelpos: 'c' })
  layout(graph)
  const { width = 0, height = 0 } = graph.graph() as { readonly width?: number; readonly height?: number }
  return {
    width: Math.max(width, NODE_WIDTH),
    height: Math.max(height, NODE_HEIGHT),
    nodes: graph.nodes().map((version) => {
      const { x, y } = graph.node(version) as unknown as { readonly x: number; readonly y: number }
      return { version, x, y }
    }),
    lines: edges.map((edge) => {
      const { points = [], x = 0, y = 0 } = graph.edge(edge.from, edge.to)
      return { edge, points, x, y }
    }),
  }
}

function pathOf(points: readonly { readonly x: number; readonly y: number }[]): string {
  const [first, ...rest] = points
  if (first === undefined) return ''
  return `M ${first.x} ${first.y} ${rest.map(({ x, y }) => `L ${x} ${y}`).join(' ')}`
}
