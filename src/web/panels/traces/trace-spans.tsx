import { useMemo, useRef, type ReactNode, useState, type PointerEvent } from 'react'
import { formatSpanNs } from '../../lib/format-time.ts'
import type { PathPiece } from '../../lib/critical-path.ts'
import { nextPlace, openedSpan, shownSpans, spanHas, toggledSpan, type TraceView } from '../../lib/trace-view.ts'
import type { Trace, TraceSpan } from '../../lib/trace.ts'
import { useKeys } from '../../ui/use-keys.ts'
import { classNames } from '../../ui/class-names.ts'
import { SpanDetail } from './span-detail.tsx'
import { SpanTable, type SpanTableProps } from './span-table.tsx'
import { TraceTools } from './trace-tools.tsx'
import { TraceWaterfall } from './trace-waterfall.tsx'
import styles from './trace-spans.module.css'

interface TraceSpansProps extends Pick<SpanTableProps, 'trace' | 'pathNs' | 'hrefOf'> {
  readonly path: readonly PathPiece[]
  readonly view: TraceView
  /** The address without an open span. */
  readonly closeHref: string
  readonly onChange: (view: TraceView) => void
}

/** The spans of one trace: overview, search, waterfall or table, and the open span. */
export function TraceSpans({ trace, path, pathNs, view, hrefOf, closeHref, onChange }: TraceSpansProps): ReactNode {
  const searchBox = useRef<HTMLInputElement>(null)
  const shown = useMemo(() => shownSpans(trace, view), [trace, view])
  const found = useMemo(
    () => new Set(view.text === '' ? [] : trace.spans.flatMap((span, i) => (spanHas(span, view.text) ? [i] : []))),
    [trace, view.text],
  )
  const closed = useMemo(() => new Set(view.closed), [view.closed])
  const openPlace = trace.spans.findIndex(({ spanId }) => spanId === view.span)
  const open = trace.spans[openPlace]
  const step = (among: 'found' | 'errors', by: 1 | -1): void => {
    const matches = (place: number): boolean => (among === 'found' ? found.has(place) : trace.spans[place]!.isError)
    const next = nextPlace(trace.spans.length, openPlace < 0 ? undefined : openPlace, by, matches)
    if (next !== undefined) onChange(openedSpan(trace, view, next))
  }
  useKeys({
    n: () => {
      step('errors', 1)
    },
    p: () => {
      step('errors', -1)
    },
    '[': () => {
      onChange(folded(trace, view, true))
    },
    ']': () => {
      onChange(folded(trace, view, false))
    },
    '/': () => {
      searchBox.current?.focus()
    },
  })
  const [from, to] = view.zoom
  return (
    <section className={styles.root} aria-label="Spans of the trace">
      <TraceMinimap
        trace={trace}
        path={path}
        from={from}
        to={to}
        onZoom={(...zoom) => {
          onChange({ ...view, zoom })
        }}
      />
      <TraceTools
        view={view}
        searchRef={searchBox}
        foundCount={found.size}
        errorCount={trace.spans.filter(({ isError }) => isError).length}
        onChange={onChange}
        onStep={step}
      />
      <div className={classNames(styles.split, open !== undefined && styles.isOpen)}>
        {view.show === 'table' ? (
          <SpanTable trace={trace} shown={shown} pathNs={pathNs} openSpan={view.span} hrefOf={hrefOf} />
        ) : (
          <TraceWaterfall
            trace={trace}
            path={path}
            shown={shown}
            window={{ fromNs: from * trace.durationNs, toNs: to * trace.durationNs }}
            openSpan={view.span}
            closed={closed}
            found={found}
            hrefOf={hrefOf}
            onToggle={(span) => {
              onChange(toggledSpan(view, span.spanId))
            }}
          />
        )}
        {open === undefined ? null : (
          <SpanDetail trace={trace} span={open} pathNs={pathNs.get(openPlace) ?? 0} closeHref={closeHref} />
        )}
      </div>
    </section>
  )
}

/** Collapses or expands the span that has the focus; without one, all spans. */
function folded(trace: Trace, view: TraceView, isClosed: boolean): TraceView {
  const focused = document.activeElement?.getAttribute('data-span') ?? ''
  const parents = trace.spans.filter((span) => span.below > 0 && (focused === '' || span.spanId === focused))
  const ids = parents.map(({ spanId }) => spanId)
  const others = view.closed.filter((id) => !ids.includes(id))
  // All collapsed is each root with its children: a single collapsed row would show nothing.
  const closing = focused === '' ? parents.filter(({ parent }) => parent >= 0).map(({ spanId }) => spanId) : ids
  return { ...view, closed: isClosed ? [...others, ...closing] : others }
}

interface TraceMinimapProps {
  readonly trace: Trace
  readonly path: readonly PathPiece[]
  /** The visible part, as shares of the duration of the trace. */
  readonly from: number
  readonly to: number
  readonly onZoom: (from: number, to: number) => void
}

const WIDTH = 1000
const HEIGHT = 48
/** A drag shorter than this is a click, and means nothing. */
const LEAST_SHARE = 0.004

/** The whole trace in one strip; dragging over it zooms in, and a button of the tools zooms out. */
function TraceMinimap({ trace, path, from, to, onZoom }: TraceMinimapProps): ReactNode {
  const box = useRef<SVGSVGElement>(null)
  const [drag, setDrag] = useState<{ readonly start: number; readonly end: number }>()
  const shareOf = (event: PointerEvent): number => {
    const area = box.current?.getBoundingClientRect()
    if (area === undefined || area.width === 0) return 0
    return Math.min(1, Math.max(0, (event.clientX - area.left) / area.width))
  }
  const ordered = drag === undefined ? { low: from, high: to } : lowHigh(drag.start, drag.end)
  const isWhole = ordered.low === 0 && ordered.high === 1
  return (
    <svg
      ref={box}
      className={`box ${styles.minimap}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Overview of ${formatSpanNs(trace.durationNs)}; drag to zoom`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        setDrag({ start: shareOf(event), end: shareOf(event) })
      }}
      onPointerMove={(event) => {
        if (drag !== undefined) setDrag({ start: drag.start, end: shareOf(event) })
      }}
      onPointerUp={() => {
        if (drag === undefined) return
        const { low, high } = lowHigh(drag.start, drag.end)
        setDrag(undefined)
        if (high - low > LEAST_SHARE) onZoom(low, high)
      }}
      onPointerCancel={() => {
        setDrag(undefined)
      }}
    >
      <path stroke="var(--dt-bar)" strokeWidth="1.5" d={linesOf(trace, (span) => !span.isError)} />
      <path stroke="var(--dt-critical-fill)" strokeWidth="2.5" d={linesOf(trace, (span) => span.isError)} />
      <path stroke="var(--dt-text)" strokeWidth="2.5" d={pathLine(trace, path)} />
      {isWhole ? null : (
        <>
          <rect className={styles.outside} x={0} y={0} width={ordered.low * WIDTH} height={HEIGHT} />
          <rect
            className={styles.outside}
            x={ordered.high * WIDTH}
            y={0}
            width={(1 - ordered.high) * WIDTH}
            height={HEIGHT}
          />
        </>
      )}
    </svg>
  )
}

function lowHigh(a: number, b: number): { readonly low: number; readonly high: number } {
  return { low: Math.min(a, b), high: Math.max(a, b) }
}

/** One path for all: five thousand elements would be slow. Spans of one pixel row lie over each other. */
function linesOf({ spans, durationNs }: Trace, isDrawn: (span: TraceSpan) => boolean): string {
  const scale = WIDTH / Math.max(1, durationNs)
  const rowPx = Math.min(3, (HEIGHT - 6) / spans.length)
  return spans
    .map((span, row) => {
      if (!isDrawn(span)) return ''
      const x = span.fromNs * scale
      return `M${x.toFixed(1)} ${(2 + row * rowPx).toFixed(1)}h${Math.max(1, span.toNs * scale - x).toFixed(1)}`
    })
    .join('')
}

function pathLine({ durationNs }: Trace, path: readonly PathPiece[]): string {
  const scale = WIDTH / Math.max(1, durationNs)
  return path
    .filter(({ span }) => span >= 0)
    .map(({ fromNs, toNs }) => `M${(fromNs * scale).toFixed(1)} ${HEIGHT - 2}H${(toNs * scale).toFixed(1)}`)
    .join('')
}
