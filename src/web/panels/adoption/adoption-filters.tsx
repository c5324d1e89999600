import { useState, type ReactNode } from 'react'
import type { ShareAnswer } from '../../../contract/adoption.ts'
import { adoptionCall } from '../../lib/adoption-call.ts'
import { FACETS, RANGES, type Facet } from '../../lib/adoption-view.ts'
import { LINE_NAMES, onlyLine } from '../../lib/adoption-shares.ts'
import { useAdoption } from '../../query/use-adoption.ts'
import { Choice } from '../../ui/choice.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { FilterChip } from '../../ui/filter-chip.tsx'
import type { AdoptionPart } from './chart-panel.tsx'

interface AdoptionFiltersProps extends AdoptionPart {
  readonly operators: readonly string[]
  /** Version lines; empty when there is only one. */
  readonly lines: readonly string[]
  /** The selected version, and all versions. */
  readonly version: string
  readonly versions: readonly string[]
}

/** Operator, version, days and facets of the page. */
export function AdoptionFilters({ operators, lines, version, versions, ...part }: AdoptionFiltersProps): ReactNode {
  const { view, change } = part
  return (
    <FilterBar
      chips={FACETS.filter((facet) => facet !== 'flavour' || lines.length < 2).flatMap((facet) =>
        (view.only[facet] ?? []).map((value) => ({
          name: facet,
          value,
          text: `${facet}: ${value === '-' ? 'not known' : value}`,
          onRemove: () => {
            const { [facet]: values = [], ...others } = view.only
            const kept = values.filter((one) => one !== value)
            change({ only: kept.length === 0 ? others : { ...others, [facet]: kept } })
          },
        })),
      )}
    >
      {operators.length > 1 ? (
        <label className="inline-row quiet text-small group-choice">
          Operator
          <select
            value={view.operator === '' ? 'kubevirt-hyperconverged' : view.operator}
            onChange={({ target }) => {
              change({ operator: target.value, version: '', compare: [], older: '' })
            }}
          >
            {operators.map((operator) => (
              <option key={operator}>{operator}</option>
            ))}
          </select>
        </label>
      ) : null}
      {lines.length > 1 ? (
        <Choice
          label="Version line"
          options={lines.map((value) => ({ value, text: LINE_NAMES[value] ?? value }))}
          value={view.only.flavour?.[0] ?? ''}
          onChange={(line) => {
            change({ only: { ...view.only, flavour: onlyLine(line) }, version: '', compare: [], older: '' })
          }}
        />
      ) : null}
      <label className="inline-row quiet text-small group-choice">
        Version
        <select
          // As wide as before its versions are loaded, when it says "not known".
          style={{ minInlineSize: '6.75rem' }}
          value={version}
          disabled={versions.length === 0}
          onChange={({ target }) => {
            change({ version: target.value, compare: [] })
          }}
        >
          {versions.length === 0 ? <option value={version}>not known</option> : null}
          {versions.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        or newer
      </label>
      {view.from === '' ? (
        <Choice
          label="Time range"
          options={RANGES}
          value={view.range}
          onChange={(range) => {
            change({ range })
          }}
        />
      ) : (
        <FilterChip
          name="range"
          value={`${view.from} to ${view.to}`}
          text={`${view.from} to ${view.to}`}
          onRemove={() => {
            change({ from: '', to: '' })
          }}
        />
      )}
      <OnlyFields {...part} />
    </FilterBar>
  )
}

/** Adds a filter by facet: first the facet, then its value. Loads values on demand. */
function OnlyFields({ view, change, asked }: AdoptionPart): ReactNode {
  const [facet, setFacet] = useState<Facet>()
  const values = useAdoption<ShareAnswer>(
    adoptionCall('share', { ...view, only: {} }, { ...asked, by: facet ?? 'channel' }),
    facet !== undefined,
  )
  return (
    <span className="inline-row quiet text-small group-choice">
      <select
        aria-label="Only clusters with"
        value={facet ?? ''}
        onChange={({ target }) => {
          setFacet(FACETS.find((one) => one === target.value))
        }}
      >
        <option value="">All clusters</option>
        {FACETS.map((one) => (
          <option key={one} value={one}>
            Only {one} …
          </option>
        ))}
      </select>
      {facet === undefined ? null : (
        <select
          aria-label={`Which ${facet}`}
          value=""
          onChange={({ target }) => {
            const known = view.only[facet] ?? []
            change({ only: { ...view.only, [facet]: [...new Set([...known, target.value])] } })
            setFacet(undefined)
          }}
        >
          <option value="" disabled>
            {values.data === undefined ? 'loading' : `which ${facet}`}
          </option>
          {(values.data?.series ?? []).map(({ value }) => (
            <option key={value}>{value}</option>
          ))}
          <option value="-">not known</option>
        </select>
      )}
    </span>
  )
}
