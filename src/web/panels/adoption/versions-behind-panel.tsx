import type { ReactNode } from 'react'
import type { BehindAnswer } from '../../../contract/adoption.ts'
import { adoptionCall, adoptionPromql, type AskParams } from '../../lib/adoption-call.ts'
import { formatCount, formatShare } from '../../lib/format-number.ts'
import { useAdoption } from '../../query/use-adoption.ts'
import { BarList } from '../../ui/bar-list.tsx'
import { Choice } from '../../ui/choice.tsx'
import { ChartPanel, type AdoptionPart } from './chart-panel.tsx'

const UNITS = { minors: 'minor', releases: 'release' } as const

/** Clusters by their distance to the newest version in the fleet. */
export function VersionsBehindPanel(part: AdoptionPart): ReactNode {
  const { view, change, asked } = part
  const callFor = (params: AskParams): string => adoptionCall('behind', view, params)
  const query = useAdoption<BehindAnswer>(callFor(asked))
  return (
    <ChartPanel
      {...part}
      name="behind"
      title="Versions behind"
      lead="Compared with the newest version in the fleet; releases are those in use in this range."
      query={query}
      basisOf={({ basis }) => basis}
      callFor={callFor}
      promql={adoptionPromql(view, 'version')}
      tools={
        <Choice
          label="Counted in"
          options={{ minors: 'Minors', releases: 'Releases' }}
          value={view.behind}
          onChange={(behind) => {
            change({ behind })
          }}
        />
      }
      chart={(answer) => <BehindBars answer={answer} unit={view.behind} />}
    />
  )
}

function BehindBars({ answer, unit }: { readonly answer: BehindAnswer; readonly unit: keyof typeof UNITS }): ReactNode {
  const { newest, byMinors, byReleases } = answer
  if (newest === null) return <p className="quiet empty">No cluster reported a version in this range.</p>
  const counts = unit === 'minors' ? byMinors : byReleases
  const total = counts.reduce((sum, count) => sum + count, 0)
  const within = (counts[0] ?? 0) + (counts[1] ?? 0) + (counts[2] ?? 0)
  return (
    <>
      <p className="spaced">
        <strong className="nums">
          {formatCount(within)} of {formatCount(total)} ({formatShare(within, total)})
        </strong>{' '}
        are within two {unit} of {newest}.
      </p>
      <BarList
        bars={counts.map((count, behind) => ({
          key: behind === 0 ? 'up to date' : `${behind} ${behind === 1 ? UNITS[unit] : unit} behind`,
          count,
        }))}
        total={total}
      />
    </>
  )
}
