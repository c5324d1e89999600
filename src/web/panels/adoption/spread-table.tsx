import type { ReactNode } from 'react'
import type { SpreadItem } from '../../../contract/adoption.ts'
import { lastShare } from '../../lib/adoption-headline.ts'
import { withCompared } from '../../lib/aligned-ages.ts'
import { formatCount, formatShare } from '../../lib/format-number.ts'
import { rolloutStepOf } from '../../lib/rollout-step.ts'
import { classNames } from '../../ui/class-names.ts'
import styles from './spread-table.module.css'

interface SpreadTableProps {
  readonly versions: readonly SpreadItem[]
  /** Clusters that told a version on the last counted day. */
  readonly telling: number
  readonly compared: readonly string[]
  readonly onCompare: (compared: readonly string[]) => void
}

const STAGE_WORDS: Readonly<Record<NonNullable<SpreadItem['stage']>, string>> = {
  rising: 'still growing',
  adopted: 'steady, a tenth or more',
  low: 'never reached a tenth in what was counted',
  replaced: 'below half of its best',
  gone: 'nobody runs it',
}

/** How far each version came, and how fast. */
export function SpreadTable({ versions, telling, compared, onCompare }: SpreadTableProps): ReactNode {
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label="How fast versions spread">
      <table className={classNames(styles.table, 'prose-table')} aria-label="How fast versions spread">
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col">First cluster</th>
            <th scope="col" className="cell-number" title="Days until a tenth of the clusters ran it or a newer one">
              10 %
            </th>
            <th scope="col" className="cell-number">
              50 %
            </th>
            <th scope="col" className="cell-number">
              90 %
            </th>
            <th scope="col" className="cell-number" title="Days from its best day until its share had halved">
              Half-life
            </th>
            <th scope="col" className="cell-number">
              Best
            </th>
            <th scope="col">Stage</th>
            <th scope="col" className="cell-number">
              Now
            </th>
          </tr>
        </thead>
        <tbody>
          {versions.map((one) => {
            const { version, isStartKnown, firstDay, stage, clusters, share, peakShare, peakDay } = one
            return (
              <tr key={version}>
                <th scope="row">
                  <label className={classNames(styles.compare, !isStartKnown && 'quiet')}>
                    <input
                      type="checkbox"
                      aria-label={`Draw ${version}`}
                      checked={compared.includes(version)}
                      disabled={!isStartKnown}
                      onChange={() => {
                        onCompare(withCompared(compared, version))
                      }}
                    />
                    {version}
                  </label>
                </th>
                <td className="nums">{isStartKnown ? firstDay : `before ${firstDay}`}</td>
                <Days days={one.to10Days} of={one} />
                <Days days={one.to50Days} of={one} />
                <Days days={one.to90Days} of={one} />
                <td className="cell-number nums cell-nowrap">
                  {one.halfLifeDays === null ? <span className="quiet">not yet</span> : `${one.halfLifeDays} d`}
                </td>
                <td className="cell-number nums" title={`on ${peakDay}`}>
                  {formatShare(peakShare, 1)}
                </td>
                {stage === null ? (
                  <td className="quiet" title="It was there before counting began, and not a week is counted since">
                    not known yet
                  </td>
                ) : (
                  <td title={STAGE_WORDS[stage]}>
                    {stage === 'rising' || stage === 'adopted'
                      ? `${stage === 'rising' ? 'rising' : 'steady'}, ${rolloutStepOf(lastShare(one) ?? 0)}`
                      : stage}
                  </td>
                )}
                <td className="cell-number nums cell-nowrap">
                  {formatCount(clusters)} of {formatCount(telling)}{' '}
                  <span className="quiet">({share === null ? '–' : formatShare(clusters, telling)})</span>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

/** Without a first day nobody knows after how many days; what is over will not be reached any more. */
function Days({ days, of }: { readonly days: number | null; readonly of: SpreadItem }): ReactNode {
  const isOver = of.stage === 'gone' || of.stage === 'replaced'
  return (
    <td className="cell-number nums cell-nowrap">
      {days === null ? (
        <span className="quiet">{isOver ? 'never' : 'not yet'}</span>
      ) : of.isStartKnown ? (
        `${days} d`
      ) : (
        <span className="quiet">not known</span>
      )}
    </td>
  )
}
