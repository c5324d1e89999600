import { useMemo, useRef, type ReactNode } from 'react'
import type { PathPiece } from '../../lib/critical-path.ts'
import { nextPlace, openedSpan, shownSpans, spanHas, toggledSpan, type TraceView } from '../../lib/trace-view.ts'
import type { Trace, TraceSpan } from '../../lib/trace.ts'
import { useKeys } from '../../ui/use-keys.ts'
import { SpanDetail } from './span-detail.tsx'
import { SpanTable } from './span-table.tsx'
import { TraceMinimap } from './trace-minimap.tsx'
import { TraceTools } from './trace-tools.tsx'
import { TraceWaterfall } from './trace-waterfall.tsx'
import { classNames } from '../../ui/class-names.ts'
import styles from './trace-spans.module.css'

interface TraceSpansProps {
  readonly trace: Trace
  readonly path: readonly PathPiece[]
  /** Nanoseconds on the critical path, by the place of the span. */
  readonly pathNs: ReadonlyMap<number, number>
  readonly view: TraceView
  readonly hrefOf: (span: TraceSpan) => string
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
