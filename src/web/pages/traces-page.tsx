import { useView } from '../panels/use-view.ts'
import { useState, type ReactNode } from 'react'
import { searchOf } from '../lib/address.ts'
import { tracesPath } from '../lib/paths.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { TRACE_RANGES, TRACE_SEARCH, TRACES_READ } from '../lib/trace-search.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { TraceList, TraceSelection, TraceScatter } from '../panels/traces/trace-list.tsx'
import { TraceSearchForm } from '../panels/traces/trace-search-form.tsx'
import { useMoment } from '../query/use-moment.ts'
import { tracesCall, useTraces, useTraceServices } from '../query/use-traces.ts'
import { Notice } from '../ui/notice.tsx'
import { useNowMs } from '../ui/server-clock.ts'

/** Whole minutes, so that the request stays the same. */
const MINUTE_MS = 60_000

/** Traces by time and duration. */
export function TracesPage(): ReactNode {
  const { view: asked, change, set } = useView(TRACE_SEARCH, tracesPath)
  const moment = useMoment()
  const nowMs = useNowMs()
  const minuteMs = Math.ceil(nowMs / MINUTE_MS) * MINUTE_MS
  const [openedMs, setOpenedMs] = useState(minuteMs)
  const toMs = moment === undefined ? openedMs : Date.parse(moment)
  const fromMs = toMs - (TRACE_RANGES.find(({ value }) => value === asked.range)?.ms ?? 0)
  const traces = useTraces(asked, toMs)
  const services = useTraceServices().data ?? []
  return (
    <div className="page">
      <title>Traces · Daytwo</title>
      <PagesNav place="Explore" />
      <h1>Traces</h1>
      <TraceSearchForm
        key={searchOf({ ...TRACE_SEARCH.searchOf(asked), compare: '' })}
        asked={asked}
        services={services}
        onAsk={(next) => {
          // A repeated search includes new traces.
          if (openedMs === minuteMs) void traces.refetch()
          else setOpenedMs(minuteMs)
          change({ ...next, compare: asked.compare })
        }}
      />
      <Answer query={traces} what="the traces" skeletonLines={12}>
        {(found) =>
          found.length === 0 ? (
            <Notice kind="note" title="No traces match these filters">
              Each upgrade is a trace as soon as its start is known; other traces arrive over OTLP. Try a longer range
              or fewer filters.
            </Notice>
          ) : (
            <>
              <TraceScatter traces={found} fromMs={fromMs} toMs={toMs} />
              <p className="quiet">
                {countOf(found.length, 'trace')}, newest first
                {found.length === TRACES_READ
                  ? `; at most ${formatCount(TRACES_READ)} are loaded: narrow the search`
                  : ''}
                .
              </p>
              <TraceList traces={found} compared={asked.compare} onCompare={set('compare')} />
            </>
          )
        }
      </Answer>
      <TraceSelection
        compared={asked.compare}
        onClear={() => {
          change({ compare: [] })
        }}
      />
      <ApiCallNote call={{ path: tracesCall(asked, toMs) }} />
    </div>
  )
}
