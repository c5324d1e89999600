import { choiceField, flagField, textField, viewCodec } from '../lib/view-codec.ts'
import { useView } from '../panels/use-view.ts'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { modificationsPath, patchesPath } from '../lib/paths.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { editsIn, splitByGone } from '../lib/out-of-band.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { FleetCoverageNote } from '../panels/fleet/fleet-coverage.tsx'
import { EditTable, PatchHistory } from '../panels/fleet/modification-lists.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { MODIFICATIONS_MAX, modificationsCall, useModifications } from '../query/use-modifications.ts'
import { useMoment } from '../query/use-moment.ts'
import { Choice } from '../ui/choice.tsx'
import { FilterBar } from '../ui/filter-bar.tsx'
import { ListLine } from '../ui/list-line.tsx'
import { Panel } from '../ui/panel.tsx'

const MODIFICATIONS_VIEW = viewCodec({
  cluster: textField('cluster'),
  standing: choiceField('standing', ['open', 'all']),
  isGoneShown: flagField('gone', 'shown'),
})

/** The history of JSON patches, and out-of-band modifications. */
export function ModificationsPage(): ReactNode {
  const { view, change, set } = useView(MODIFICATIONS_VIEW, modificationsPath)
  const moment = useMoment()
  const { cluster, standing } = view
  // The page of one cluster shows it also after it was decommissioned.
  const isGoneShown = cluster !== '' || view.isGoneShown
  const patchesAsked = { kind: 'jsonpatch', cluster, open: standing === 'open' ? 'true' : '' }
  const editsAsked = { kind: 'out_of_band', cluster }
  const patches = useModifications(patchesAsked)
  const edits = useModifications(editsAsked)
  const goneToggled = MODIFICATIONS_VIEW.searchOf({ ...view, isGoneShown: !isGoneShown })
  const goneNote = (counted: string, isOne: boolean): ReactNode => (
    <span className="quiet">
      {counted} on decommissioned clusters {isGoneShown ? 'included' : isOne ? 'is hidden' : 'are hidden'}.{' '}
      {cluster === '' ? <Link href={modificationsPath(goneToggled)}>{isGoneShown ? 'Hide' : 'Show'}</Link> : null}
    </span>
  )
  return (
    <div className="page">
      <title>Modifications · Daytwo</title>
      <h1 className="visually-hidden">Fleet: modifications</h1>
      <PagesNav place="Fleet" />
      {cluster === '' ? null : (
        <FilterBar
          chips={[
            {
              name: 'cluster',
              value: cluster,
              onRemove: () => {
                change({ cluster: '' })
              },
            },
          ]}
        />
      )}
      <Panel
        title="JSON patches"
        aside={
          <Choice
            label="Which patches"
            options={[
              { value: 'open', text: 'In effect' },
              { value: 'all', text: 'All' },
            ]}
            value={standing}
            onChange={set('standing')}
          />
        }
      >
        <Answer query={patches} what="the patches" skeletonLines={6}>
          {({ modifications, goneClusters, coverage, nextCursor }) => {
            const { here, gone } = splitByGone(modifications, goneClusters)
            const shown = isGoneShown ? modifications : here
            return (
              <>
                <ListLine
                  count={`${countOf(shown.length, 'patch', 'patches')}${nextCursor === null ? '' : ` (of the newest ${formatCount(MODIFICATIONS_MAX)})`}`}
                >
                  {gone.length === 0 ? null : goneNote(countOf(gone.length, 'patch', 'patches'), gone.length === 1)}
                  <span className="quiet">
                    {formatCount(coverage.withObjects)} of {countOf(coverage.clusters, 'cluster')} report annotations
                  </span>
                  <Link href={patchesPath({ cluster })}>What breaks in the next version</Link>
                  <FleetCoverageNote coverage={coverage} />
                </ListLine>
                <PatchHistory patches={shown} goneClusters={goneClusters} />
              </>
            )
          }}
        </Answer>
        <ApiCallNote call={{ path: modificationsCall(patchesAsked, moment) }} />
      </Panel>
      <Panel title="Out-of-band modifications" aside="each reverted by the operator">
        <Answer query={edits} what="the out-of-band modifications" skeletonLines={6}>
          {({ modifications, goneClusters, asOf, nextCursor }) => {
            const { here, gone } = splitByGone(modifications, goneClusters)
            const goneEdits = editsIn(gone)
            return (
              <>
                {nextCursor === null ? null : (
                  <p className="quiet">Only the newest {formatCount(MODIFICATIONS_MAX)} are shown.</p>
                )}
                {goneEdits === 0 ? null : <p>{goneNote(countOf(goneEdits, 'modification'), goneEdits === 1)}</p>}
                <EditTable
                  edits={isGoneShown ? modifications : here}
                  goneClusters={goneClusters}
                  nowMs={Date.parse(asOf)}
                />
              </>
            )
          }}
        </Answer>
        <ApiCallNote call={{ path: modificationsCall(editsAsked, moment) }} />
      </Panel>
    </div>
  )
}
