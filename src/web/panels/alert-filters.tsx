import type { ReactNode, Ref } from 'react'
import { Button } from '@patternfly/react-core/dist/esm/components/Button'
import { Label } from '@patternfly/react-core/dist/esm/components/Label'
import { SearchInput } from '@patternfly/react-core/dist/esm/components/SearchInput'
import { ToggleGroup, ToggleGroupItem } from '@patternfly/react-core/dist/esm/components/ToggleGroup'
import { isFiltered, WHOLE_VIEW } from '../lib/alert-view.ts'
import type { AlertView, GroupBy } from '../lib/alert-view.ts'
import { formatCount } from '../lib/format-number.ts'
import { ALERT_STATES, SEVERITIES } from '../lib/severity.ts'
import { Choice } from '../ui/choice.tsx'

interface AlertFiltersProps {
  readonly view: AlertView
  readonly onChange: (view: AlertView) => void
  readonly shown: number
  readonly total: number
  /** Labels to group by. */
  readonly labels: readonly string[]
  readonly searchRef: Ref<HTMLInputElement>
}

/** Filters, grouping and order of the alert list; all of it stands in the URL. */
export function AlertFilters({ view, onChange, shown, total, labels, searchRef }: AlertFiltersProps): ReactNode {
  const change = (part: Partial<AlertView>): void => {
    onChange({ ...view, ...part })
  }
  return (
    <div className="filters">
      <SearchInput
        ref={searchRef}
        className="filters-search"
        aria-label="Search alerts and clusters"
        placeholder="Alert or cluster"
        value={view.text}
        onChange={(_event, text) => {
          change({ text })
        }}
        onClear={() => {
          change({ text: '' })
        }}
      />
      <div className="filters-row">
        <Toggles
          label="Severity"
          options={SEVERITIES}
          chosen={view.severities}
          onChange={(severities) => {
            change({ severities })
          }}
        />
        <Toggles
          label="State"
          options={ALERT_STATES}
          chosen={view.states}
          onChange={(states) => {
            change({ states })
          }}
        />
        <Choice
          label="Show"
          options={[
            { value: 'all', text: 'All' },
            { value: 'open', text: 'Needs somebody' },
          ]}
          value={view.show}
          onChange={(show) => {
            change({ show })
          }}
        />
        <GroupChoice view={view} onChange={onChange} labels={labels} />
        <Choice
          label="Order"
          options={[
            { value: 'worst', text: 'Worst first' },
            { value: 'newest', text: 'Newest first' },
          ]}
          value={view.sort}
          onChange={(sort) => {
            change({ sort })
          }}
        />
      </div>
      <Chips view={view} onChange={onChange} />
      <span className="filters-count nums" role="status">
        {isFiltered(view) ? `${formatCount(shown)} of ${formatCount(total)}` : formatCount(total)} alerts
      </span>
    </div>
  )
}

/** A few are always there; the labels are those that the alerts have now. */
function GroupChoice({ view, onChange, labels }: Pick<AlertFiltersProps, 'view' | 'onChange' | 'labels'>): ReactNode {
  const asked = view.groupBy.startsWith('label:') ? view.groupBy.slice('label:'.length) : ''
  const names = asked === '' || labels.includes(asked) ? labels : [asked, ...labels]
  return (
    <span className="group-choice">
      <span aria-hidden="true">Group</span>
      <select
        aria-label="Group"
        value={view.groupBy}
        onChange={(event) => {
          onChange({ ...view, groupBy: event.target.value as GroupBy })
        }}
      >
        <option value="auto">by what they share</option>
        <option value="alert">by alert</option>
        <option value="cluster">by cluster</option>
        <option value="none">not at all</option>
        {names.map((name) => (
          <option key={name} value={`label:${name}`}>
            by {name}
          </option>
        ))}
      </select>
    </span>
  )
}

interface TogglesProps<T extends string> {
  readonly label: string
  readonly options: readonly T[]
  /** None: all of them. */
  readonly chosen: readonly T[]
  readonly onChange: (chosen: readonly T[]) => void
}

function Toggles<T extends string>({ label, options, chosen, onChange }: TogglesProps<T>): ReactNode {
  return (
    <ToggleGroup aria-label={label} isCompact>
      {options.map((option) => (
        <ToggleGroupItem
          key={option}
          text={option}
          isSelected={chosen.includes(option)}
          onChange={(_event, isSelected) => {
            onChange(options.filter((other) => (other === option ? isSelected : chosen.includes(other))))
          }}
        />
      ))}
    </ToggleGroup>
  )
}

/** What only a link or a row can set, and anybody must be able to take away. */
function Chips({ view, onChange }: Pick<AlertFiltersProps, 'view' | 'onChange'>): ReactNode {
  if (!isFiltered(view)) return null
  const chips = [
    { name: 'alert', value: view.alertname, without: { alertname: '' } },
    { name: 'cluster', value: view.cluster, without: { cluster: '' } },
  ].filter(({ value }) => value !== '')
  return (
    <>
      {chips.map(({ name, value, without }) => (
        <Label
          key={name}
          variant="outline"
          closeBtnAriaLabel={`Remove filter ${name}: ${value}`}
          onClose={() => {
            onChange({ ...view, ...without })
          }}
        >
          {name}: {value}
        </Label>
      ))}
      <Button
        variant="link"
        size="sm"
        isInline
        onClick={() => {
          onChange({ ...WHOLE_VIEW, groupBy: view.groupBy, sort: view.sort })
        }}
      >
        Show all
      </Button>
    </>
  )
}
