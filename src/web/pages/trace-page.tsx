import { useMemo, useRef } from 'react'
import type { ReactNode } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { criticalPath, pathNsBySpan } from '../lib/critical-path.ts'
import { tracePath, tracesPath } from '../lib/explore-paths.ts'
import { phaseLanes, tracedUpgrade } from '../lib/trace-phases.ts'
import {
  nextPlace,
  openedSpan,
  parseTraceView,
  searchOfTraceView,
  shownSpans,
  spanHas,
  toggledSpan,
} from '../lib/trace-view.ts'
import type { TraceView } from '../lib/trace-view.ts'
import type { TraceSpan } from '../lib/trace.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { PhaseLanes } from '../panels/traces/phase-lanes.tsx'
import { SpanDetail } from '../panels/traces/span-detail.tsx'
import { SpanTable } from '../panels/traces/span-table.tsx'
import { TraceComparison } from '../panels/traces/trace-comparison.tsx'
import { TraceExport } from '../panels/traces/trace-export.tsx'
import { TraceHead } from '../panels/traces/trace-head.tsx'
import { TraceMinimap } from '../panels/traces/trace-minimap.tsx'
import { TraceTools } from '../panels/traces/trace-tools.tsx'
import { TraceWaterfall } from '../panels/traces/trace-waterfall.tsx'
import { traceCall, useTrace } from '../query/use-traces.ts'
import type { WholeTrace } from '../query/use-traces.ts'
import { Panel } from '../ui/panel.tsx'
import { useKeys } from '../ui/use-keys.ts'
import '../ui/styles/fleet.css'
import '../ui/styles/traces.css'

/** One trace: what its time went to, span by span. */
export function TracePage({ traceId }: { readonly traceId: string }): ReactNode {
  const query = useTrace(traceId)
  return (
    <div className="page trace-page">
      <title>{`Trace ${traceId.slice(0, 8)} · Daytwo`}</title>
      <PagesNav place="Explore" />
      {query.data === undefined ? <h1>Trace {traceId.slice(0, 8)}</h1> : null}
      <Answer query={query} what="the trace" skeletonLines={14}>
        {(whole) => <TraceAnswer whole={whole} traceId={traceId} />}
      </Answer>
      <ApiCallNote call={{ path: traceCall(traceId) }} />
    </div>
  )
}

function TraceAnswer({ whole, traceId }: { readonly whole: WholeTrace; readonly traceId: string }): ReactNode {
  const { trace, answer } = whole
  const search = useSearch()
  const view = useMemo(() => parseTraceView(search), [search])
  const [, navigate] = useLocation()
  const searchBox = useRef<HTMLInputElement>(null)
  const path = useMemo(() => criticalPath(trace), [trace])
  const pathNs = useMemo(() => pathNsBySpan(path), [path])
  const shown = useMemo(() => shownSpans(trace, view), [trace, view])
  const found = useMemo(
    () => new Set(view.text === '' ? [] : trace.spans.flatMap((span, i) => (spanHas(span, view.text) ? [i] : []))),
    [trace, view.text],
  )
  const closed = useMemo(() => new Set(view.closed), [view.closed])
  const upgrade = tracedUpgrade(trace)
  const openPlace = trace.spans.findIndex(({ spanId }) => spanId === view.span)
  const open = trace.spans[openPlace]
  const errorCount = trace.spans.filter(({ isError }) => isError).length

  const addressOf = (next: TraceView): string => tracePath(traceId, searchOfTraceView(next))
  const change = (next: TraceView): void => {
    navigate(addressOf(next), { replace: true })
  }
  const hrefOf = (span: TraceSpan): string => addressOf({ ...view, span: span.spanId })
  const step = (among: 'found' | 'errors', by: 1 | -1): void => {
    const holds = (place: number): boolean => (among === 'found' ? found.has(place) : trace.spans[place]!.isError)
    const next = nextPlace(trace.spans.length, openPlace < 0 ? undefined : openPlace, by, holds)
    if (next !== undefined) change(openedSpan(trace, view, next))
  }
  /** Of the span that has the focus; without one, of all. */
  const fold = (isClosed: boolean): void => {
    const focused = document.activeElement?.getAttribute('data-span') ?? ''
    const of = trace.spans.filter((span) => span.below > 0 && (focused === '' || span.spanId === focused))
    const ids = of.map(({ spanId }) => spanId)
    const others = view.closed.filter((id) => !ids.includes(id))
    // All closed is each root with its children: a single closed row would show nothing.
    const closing = focused === '' ? of.filter(({ parent }) => parent >= 0).map(({ spanId }) => spanId) : ids
    change({ ...view, closed: isClosed ? [...others, ...closing] : others })
  }
  useKeys({
    n: () => {
      step('errors', 1)
    },
    p: () => {
      step('errors', -1)
    },
    '[': () => {
      fold(true)
    },
    ']': () => {
      fold(false)
    },
    '/': () => {
      searchBox.current?.focus()
    },
    Esc: () => {
      if (view.than !== '') change({ ...view, than: '' })
      else if (view.span === '') navigate(tracesPath())
      else change({ ...view, span: '' })
    },
  })
  const compareHref = tracesPath({ compare: traceId, ...(upgrade === undefined ? {} : { cluster: upgrade.cluster }) })
  if (view.than !== '') {
    return (
      <>
        <TraceHead trace={trace} upgrade={upgrade} pathNs={pathNs} />
        <TraceComparison
          here={trace}
          than={view.than}
          show={view.show}
          onShow={(show) => {
            change({ ...view, show })
          }}
          aloneHref={addressOf({ ...view, than: '' })}
          otherHref={compareHref}
        />
      </>
    )
  }
  return (
    <>
      <TraceHead trace={trace} upgrade={upgrade} pathNs={pathNs} />
      <p className="trace-upgrade">
        <Link href={compareHref}>Compare with another trace</Link>
      </p>
      {upgrade === undefined ? null : (
        <Panel title="Phases">
          <PhaseLanes trace={trace} lanes={phaseLanes(trace, pathNs)} path={path} hrefOf={hrefOf} />
        </Panel>
      )}
      <section aria-label="Spans of the trace">
        <TraceMinimap
          trace={trace}
          path={path}
          from={view.from}
          to={view.to}
          onZoom={(from, to) => {
            change({ ...view, from, to })
          }}
        />
        <TraceTools
          view={view}
          searchRef={searchBox}
          foundCount={found.size}
          errorCount={errorCount}
          onChange={change}
          onStep={step}
        />
        <div className={open === undefined ? 'trace-split' : 'trace-split has-detail'}>
          {view.show === 'table' ? (
            <SpanTable trace={trace} shown={shown} pathNs={pathNs} openSpan={view.span} hrefOf={hrefOf} />
          ) : (
            <TraceWaterfall
              trace={trace}
              path={path}
              shown={shown}
              window={{ fromNs: view.from * trace.durationNs, toNs: view.to * trace.durationNs }}
              openSpan={view.span}
              closed={closed}
              found={found}
              hrefOf={hrefOf}
              onToggle={(span) => {
                change(toggledSpan(view, span.spanId))
              }}
            />
          )}
          {open === undefined ? null : (
            <SpanDetail
              trace={trace}
              span={open}
              pathNs={pathNs.get(openPlace) ?? 0}
              closeHref={addressOf({ ...view, span: '' })}
            />
          )}
        </div>
      </section>
      <TraceExport traceId={traceId} answer={answer} />
    </>
  )
}
