import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { PatchGroupItem, PatchItems } from '../../contract/fleet-patches.ts'
import { PATCH_CLASSES } from '../../model/patch-analysis.ts'
import { operatorName } from '../lib/fleet-names.ts'
import { countOf, formatCount } from '../lib/format-number.ts'
import { operationsText, PATCH_CLASS_WORDS, PATCHES_VIEW, patchListMarkdown, targetText } from '../lib/patch-text.ts'
import { modificationsPath, patchesPath, patchPath } from '../lib/paths.ts'
import { Answer } from '../panels/answer.tsx'
import { ApiCallNote } from '../panels/api-call-note.tsx'
import { FleetCoverageNote, NoClusterNote } from '../panels/fleet/fleet-coverage.tsx'
import { PatchClasses, PatchOperations } from '../panels/fleet/patch-parts.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { useView } from '../panels/use-view.ts'
import { patchesCall, usePatches } from '../query/use-patches.ts'
import { useMoment } from '../query/use-moment.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { FacetSelect } from '../ui/facet-select.tsx'
import { FilterBar } from '../ui/filter-bar.tsx'
import { ListLine } from '../ui/list-line.tsx'
import { Select } from '../ui/select.tsx'

const OPERANDS = ['kubevirt', 'cdi', 'network-addons', 'ssp'] as const

/** JSON patches of the fleet by what they mean for an upgrade. */
export function PatchesPage(): ReactNode {
  const { view, change, set } = useView(PATCHES_VIEW, patchesPath)
  const { to, component, cluster, isBreaking } = view
  const moment = useMoment()
  const asked = { to, class: view.class, component, cluster, breaking: isBreaking ? 'true' : '' }
  const query = usePatches(asked)
  const { data } = query
  const countOfClass = (one: string | null): number => data?.counts.find((count) => count.class === one)?.patches ?? 0
  return (
    <div className="page">
      <title>JSON patches · Daytwo</title>
      <h1 className="visually-hidden">Fleet: JSON patches</h1>
      <PagesNav place="Fleet" />
      <FilterBar
        chips={[
          ...(cluster === ''
            ? []
            : [
                {
                  name: 'cluster',
                  value: cluster,
                  onRemove: () => {
                    change({ cluster: '' })
                  },
                },
              ]),
          ...(isBreaking
            ? [
                {
                  name: 'only',
                  value: 'broken by the upgrade',
                  onRemove: () => {
                    change({ isBreaking: false })
                  },
                },
              ]
            : []),
        ]}
        onReset={
          PATCHES_VIEW.isNarrowed({ ...view, to: '' })
            ? () => {
                change({ ...PATCHES_VIEW.initial, to })
              }
            : undefined
        }
      >
        <Select
          label="Target version"
          none="To: next minor"
          options={(data?.targets ?? []).map(({ version, released }) => ({
            value: version,
            text: `To: ${version}${released ? '' : ' (not released)'}`,
          }))}
          value={to}
          onChange={set('to')}
        />
        <FacetSelect
          label="Class"
          values={[
            ...PATCH_CLASSES.map((one) => ({
              value: one,
              text: PATCH_CLASS_WORDS[one].mark.word,
              count: countOfClass(one),
            })),
            { value: 'none', text: 'no finding', count: countOfClass(null) },
          ]}
          value={view.class}
          onChange={(value) => {
            change({ class: value as typeof view.class })
          }}
        />
        <FacetSelect
          label="Operand"
          values={OPERANDS.map((value) => ({ value, text: operatorName(value) }))}
          value={component}
          onChange={(value) => {
            change({ component: value as typeof component })
          }}
        />
      </FilterBar>
      <Answer query={query} what="the JSON patches" skeletonLines={10}>
        {(answer) => <PatchTable answer={answer} to={to} />}
      </Answer>
      <ApiCallNote call={{ path: patchesCall(asked, moment) }} />
    </div>
  )
}

function PatchTable({ answer, to }: { readonly answer: PatchItems; readonly to: string }): ReactNode {
  const { patches, total, coverage } = answer
  if (coverage.clusters === 0) return <NoClusterNote />
  const breaking = patches.filter((one) => one.breaking > 0).length
  return (
    <>
      <ListLine count={countOf(total, 'patch', 'patches')}>
        {breaking === 0 ? null : (
          <Link className="tone-critical" href={patchesPath({ to, breaking: 'true' })}>
            {formatCount(breaking)} broken by the upgrade to {targetText(answer.to)}
          </Link>
        )}
        <span className="quiet">
          {formatCount(coverage.withObjects)} of {countOf(coverage.clusters, 'cluster')} report annotations
        </span>
        <Link href={modificationsPath()}>History</Link>
        <CopyButton text={patchListMarkdown(answer, location.href)} label="Copy the list as Markdown" />
        <FleetCoverageNote coverage={coverage} />
      </ListLine>
      {patches.length === 0 ? (
        <p className="empty quiet">No JSON patch in effect on the reporting clusters matches.</p>
      ) : (
        <DataTable
          label="JSON patches"
          look="boxed"
          columns={columnsTo(to)}
          rows={patches}
          rowKey={({ key }) => key}
          csvName="json-patches"
        />
      )}
    </>
  )
}

function columnsTo(to: string): readonly Column<PatchGroupItem>[] {
  return [
    {
      head: 'Patch',
      kind: 'name',
      style: { inlineSize: '38%', minInlineSize: '11rem' },
      cell: (group) => (
        <>
          <Link href={patchPath(group.key, { to })} data-row>
            {operatorName(group.component)}:{' '}
            {group.operations === null ? 'operations not known' : countOf(group.operations.length, 'operation')}
          </Link>
          <PatchOperations patch={group} />
        </>
      ),
      csv: operationsText,
    },
    {
      head: 'Class',
      cell: ({ classes }) => <PatchClasses classes={classes} />,
      csv: ({ classes }) => classes.join(' '),
    },
    {
      head: 'Worst finding',
      isHiddenOnPhone: true,
      cell: ({ finding }) => finding?.text ?? <span className="quiet">nothing was found</span>,
      csv: ({ finding }) => finding?.text ?? '',
    },
    {
      head: 'Clusters',
      kind: 'number',
      cell: ({ clusters, breaking }) => (
        <>
          {formatCount(clusters)}
          {breaking === 0 ? null : <div className="tone-critical text-tiny">breaks on {formatCount(breaking)}</div>}
        </>
      ),
      csv: ({ clusters }) => clusters,
    },
  ]
}
