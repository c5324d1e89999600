import { useView } from '../panels/use-view.ts'
import { useMemo, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { criticalPath, pathNsBySpan } from '../lib/critical-path.ts'
import { tracePath, tracesPath } from '../lib/paths.ts'
import { phaseLanes, tracedUpgrade } from '../lib/trace-phases.ts'
import { type TraceView, TRACE_VIEW } from '../lib/trace-view.ts'
import type { TraceSpan } from '../lib/trace.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { PhaseLanes } from '../panels/traces/phase-lanes.tsx'
import { TraceComparison } from '../panels/traces/trace-comparison.tsx'
import { TraceExport } from '../panels/traces/trace-export.tsx'
import { TraceHead } from '../panels/traces/trace-head.tsx'
import { TraceSpans } from '../panels/traces/trace-spans.tsx'
import { traceCall, useTrace, type WholeTrace } from '../query/use-traces.ts'
import { Panel } from '../ui/panel.tsx'
import { useKeys } from '../ui/use-keys.ts'

/** One trace, span by span. */
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
  const { view, change, set } = useView(TRACE_VIEW, (search) => tracePath(traceId, search))
  const [, navigate] = useLocation()
  const path = useMemo(() => criticalPath(trace), [trace])
  const pathNs = useMemo(() => pathNsBySpan(path), [path])
  const upgrade = tracedUpgrade(trace)
  const addressOf = (next: TraceView): string => tracePath(traceId, TRACE_VIEW.searchOf(next))
  const hrefOf = (span: TraceSpan): string => addressOf({ ...view, span: span.spanId })
  useKeys({
    Esc: () => {
      if (view.than !== '') change({ than: '' })
      else if (view.span === '') navigate(tracesPath())
      else change({ span: '' })
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
          onShow={set('show')}
          aloneHref={addressOf({ ...view, than: '' })}
          otherHref={compareHref}
        />
      </>
    )
  }
  return (
    <>
      <TraceHead trace={trace} upgrade={upgrade} pathNs={pathNs} />
      <p className="space-below">
        <Link href={compareHref}>Compare with another trace</Link>
      </p>
      {upgrade === undefined ? null : (
        <Panel title="Phases">
          <PhaseLanes trace={trace} lanes={phaseLanes(trace, pathNs)} path={path} hrefOf={hrefOf} />
        </Panel>
      )}
      <TraceSpans
        trace={trace}
        path={path}
        pathNs={pathNs}
        view={view}
        hrefOf={hrefOf}
        closeHref={addressOf({ ...view, span: '' })}
        onChange={change}
      />
      <TraceExport traceId={traceId} answer={answer} />
    </>
  )
}
