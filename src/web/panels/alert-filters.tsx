import type { ReactNode } from 'react'
import { isFiltered, type AlertView, type GroupBy, ALERT_VIEW } from '../lib/alert-view.ts'
import { formatCount } from '../lib/format-number.ts'
import { ALERT_STATES, SEVERITIES } from '../lib/severity.ts'
import { Choice, ManyChoice } from '../ui/choice.tsx'
import { FilterBar } from '../ui/filter-bar.tsx'

interface AlertFiltersProps {
  readonly view: AlertView
  readonly onChange: (view: AlertView) => void
  readonly shown: number
  readonly total: number
  /** Labels to group by. */
  readonly labels: readonly string[]
}

/** Filters, grouping and order of the alert list; their state is the URL. */
export function AlertFilters({ view, onChange, shown, total, labels }: AlertFiltersProps): ReactNode {
  const change = (part: Partial<AlertView>): void => {
    onChange({ ...view, ...part })
  }
  const chips = [
    { name: 'alert', value: view.alertname, without: { alertname: '' } },
    { name: 'cluster', value: view.cluster, without: { cluster: '' } },
  ].filter(({ value }) => value !== '')
  return (
    <FilterBar
      search={{
        label: 'Search alerts and clusters',
        placeholder: 'Alert or cluster',
        value: view.text,
        onChange: (text) => {
          change({ text })
        },
      }}
      // Filters that only a link or a row can set; every reader can remove them.
      chips={chips.map(({ name, value, without }) => ({
        name,
        value,
        onRemove: () => {
          change(without)
        },
      }))}
      onReset={
        isFiltered(view)
          ? () => {
              onChange({ ...ALERT_VIEW.initial, groupBy: view.groupBy, sort: view.sort })
            }
          : undefined
      }
      end={
        <span className="at-end quiet text-small nums" role="status">
          {isFiltered(view) ? `${formatCount(shown)} of ${formatCount(total)}` : formatCount(total)} alerts
        </span>
      }
    >
      <ManyChoice
        label="Severity"
        options={SEVERITIES}
        chosen={view.severities}
        onChange={(severities) => {
          change({ severities })
        }}
      />
      <ManyChoice
        label="State"
        options={ALERT_STATES}
        chosen={view.states}
        onChange={(states) => {
          change({ states })
        }}
      />
      <Choice
        label="Show"
        options={{ all: 'All', open: 'Needs attention' }}
        value={view.show}
        onChange={(show) => {
          change({ show })
        }}
      />
      <GroupChoice view={view} onChange={onChange} labels={labels} />
      <Choice
        label="Order"
        options={{ worst: 'Most severe first', newest: 'Newest first' }}
        value={view.sort}
        onChange={(sort) => {
          change({ sort })
        }}
      />
    </FilterBar>
  )
}

/** Fixed groupings, and one for each label of the present alerts. */
function GroupChoice({ view, onChange, labels }: Pick<AlertFiltersProps, 'view' | 'onChange' | 'labels'>): ReactNode {
  const asked = view.groupBy.startsWith('label:') ? view.groupBy.slice('label:'.length) : ''
  const names = asked === '' || labels.includes(asked) ? labels : [asked, ...labels]
  return (
    <span className="inline-row quiet text-small group-choice">
      <span aria-hidden="true">Group</span>
      <select
        aria-label="Group"
        value={view.groupBy}
        onChange={(event) => {
          onChange({ ...view, groupBy: event.target.value as GroupBy })
        }}
      >
        <option value="auto">by shared labels</option>
        <option value="alert">by alert</option>
        <option value="cluster">by cluster</option>
        <option value="none">not grouped</option>
        {names.map((name) => (
          <option key={name} value={`label:${name}`}>
            by {name}
          </option>
        ))}
      </select>
    </span>
  )
}
