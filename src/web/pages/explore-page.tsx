import { lazy, Suspense, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '@patternfly/react-core/dist/esm/components/Button'
import { TextArea } from '@patternfly/react-core/dist/esm/components/TextArea'
import { Link, useLocation, useSearch } from 'wouter'
import { explorePath, withRange } from '../lib/paths.ts'
import { Answer } from '../panels/answer.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { PromqlResult } from '../panels/promql-result.tsx'
import { useInstantQuery, useRangeQuery } from '../query/use-promql.ts'
import { Choice } from '../ui/choice.tsx'
import { Panel } from '../ui/panel.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

const RangeChart = lazy(async () => {
  const { RangeChart: Chart } = await import('../panels/range-chart.tsx')
  return { default: Chart }
})

const RANGES = [
  { value: '15m', text: '15 min', seconds: 900 },
  { value: '1h', text: '1 h', seconds: 3600 },
  { value: '6h', text: '6 h', seconds: 21_600 },
  { value: '1d', text: '1 d', seconds: 86_400 },
  { value: '7d', text: '7 d', seconds: 604_800 },
] as const
type RangeName = (typeof RANGES)[number]['value']

const EXAMPLES: readonly { readonly says: string; readonly expr: string }[] = [
  {
    says: 'Health of every operator: 0 healthy, 1 warning, 2 error',
    expr: 'max by (cluster) (kubevirt_hco_system_health_status)',
  },
  {
    says: 'Clusters per KubeVirt version',
    expr: 'count by (kubeversion) (max by (cluster, kubeversion) (kubevirt_info))',
  },
  {
    says: 'Changes made by hand in the last day',
    expr: 'sum by (cluster, component_name) (increase(kubevirt_hco_out_of_band_modifications_total[1d])) > 0',
  },
  {
    says: 'Clusters with unsafe patches',
    expr: 'max by (cluster, annotation_name) (kubevirt_hco_unsafe_modifications) > 0',
  },
]

/** Ask in PromQL: the answer now, and over time. */
export function ExplorePage(): ReactNode {
  const params = new URLSearchParams(useSearch())
  const expr = params.get('expr') ?? ''
  const range = RANGES.find(({ value }) => value === params.get('range')) ?? RANGES[1]
  const [, navigate] = useLocation()
  return (
    <div className="page explore">
      <title>Explore · Daytwo</title>
      <PagesNav place="Explore" />
      <h1>Explore</h1>
      <QueryBox
        key={expr}
        expr={expr}
        onRun={(typed) => {
          navigate(withRange(explorePath(typed), range.value))
        }}
      />
      {expr === '' ? (
        <Examples />
      ) : (
        <Results
          expr={expr}
          range={range}
          onRange={(name) => {
            navigate(withRange(explorePath(expr), name), { replace: true })
          }}
        />
      )}
    </div>
  )
}

function QueryBox({ expr, onRun }: { readonly expr: string; readonly onRun: (expr: string) => void }): ReactNode {
  const [typed, setTyped] = useState(expr)
  const run = (): void => {
    onRun(typed.trim())
  }
  return (
    <form
      className="query-box"
      onSubmit={(event) => {
        event.preventDefault()
        run()
      }}
    >
      <TextArea
        aria-label="PromQL"
        placeholder="PromQL, for example  up == 0"
        value={typed}
        rows={Math.min(8, Math.max(2, typed.split('\n').length))}
        resizeOrientation="vertical"
        spellCheck={false}
        onChange={(_event, text) => {
          setTyped(text)
        }}
        onKeyDown={(event) => {
          // Enter runs, as in every PromQL box; Shift-Enter writes a line.
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          run()
        }}
      />
      <Button type="submit" variant="primary">
        Run
      </Button>
    </form>
  )
}

interface ResultsProps {
  readonly expr: string
  readonly range: (typeof RANGES)[number]
  readonly onRange: (name: RangeName) => void
}

function Results({ expr, range, onRange }: ResultsProps): ReactNode {
  const instant = useInstantQuery(expr)
  const overTime = useRangeQuery(expr, range.seconds)
  return (
    <>
      <Panel title="Over time" aside={<Choice label="Range" options={RANGES} value={range.value} onChange={onRange} />}>
        <Answer query={overTime} what="the graph" skeletonLines={8}>
          {(answer) => (
            <Suspense fallback={<Skeleton lines={8} label="Loading the graph" />}>
              <RangeChart answer={answer} />
            </Suspense>
          )}
        </Answer>
      </Panel>
      <Panel title="Value now">
        <Answer query={instant} what="the answer" skeletonLines={4}>
          {(answer) => <PromqlResult answer={answer} />}
        </Answer>
      </Panel>
    </>
  )
}

function Examples(): ReactNode {
  return (
    <section className="examples" aria-labelledby="examples">
      <h2 id="examples">To begin with</h2>
      <ul>
        {EXAMPLES.map(({ says, expr }) => (
          <li key={expr}>
            <Link href={explorePath(expr)}>{says}</Link>
            <code>{expr}</code>
          </li>
        ))}
      </ul>
    </section>
  )
}
