import { useId, type ReactNode } from 'react'
import type { ClusterFacets } from '../../../contract/fleet-clusters.ts'
import { proposedTargets, type PlanView } from '../../lib/plan-view.ts'
import { toggled } from '../../lib/cluster-view.ts'
import { versionChoices } from '../../lib/version-order.ts'
import { FacetSelect } from '../../ui/facet-select.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Select } from '../../ui/select.tsx'
import styles from './plan-form.module.css'

interface PlanFormProps {
  readonly view: PlanView
  readonly onChange: (part: Partial<PlanView>) => void
  readonly facets: ClusterFacets
  /** How many clusters are selected. */
  readonly count: ReactNode
}

/** The input of a plan in three steps: which clusters, to which version, when. All of it is in the address. */
export function PlanForm({ view, onChange, facets, count }: PlanFormProps): ReactNode {
  return (
    <div className={`box screen-only ${styles.root}`}>
      <Step number={1} title="Clusters" aside={count}>
        <ClusterFilter view={view} onChange={onChange} facets={facets} />
      </Step>
      <Step number={2} title="Target">
        <Select
          label="Target"
          none="Version…"
          options={proposedTargets(facets).map((value) => ({ value, text: value }))}
          value={view.target}
          onChange={(target) => {
            onChange({ target })
          }}
        />
        <span className="quiet text-small">OpenShift 4.16 pairs with HCO 1.12</span>
      </Step>
      <Step number={3} title="Schedule">
        <Select
          label="Clusters at a time"
          none="5 at a time"
          options={AT_ONCE.map((value) => ({ value, text: `${value} at a time` }))}
          value={view.atOnce}
          onChange={(atOnce) => {
            onChange({ atOnce })
          }}
        />
        <TextField
          label="Maintenance windows"
          placeholder="any time, or Sat 22:00-06:00"
          value={view.windows.join('; ')}
          onChange={(text) => {
            onChange({ windows: text.split(';').map((one) => one.trim()) })
          }}
        />
        <TextField
          label="Time zone"
          placeholder="UTC"
          value={view.zone}
          onChange={(zone) => {
            onChange({ zone: zone.trim() })
          }}
        />
      </Step>
    </div>
  )
}

const AT_ONCE = ['1', '2', '3', '10', '20', '50', '100', '500'] as const

interface StepProps {
  readonly number: number
  readonly title: string
  readonly aside?: ReactNode
  readonly children: ReactNode
}

function Step({ number, title, aside, children }: StepProps): ReactNode {
  const headingId = useId()
  return (
    <section className={styles.step} aria-labelledby={headingId}>
      <h2 id={headingId} className="text-small">
        <span className="quiet nums">{number}.</span> {title} <span className="quiet">{aside}</span>
      </h2>
      <div className="row">{children}</div>
    </section>
  )
}

const FACETS = [
  { name: 'platform', label: 'Platform', values: 'platforms' },
  { name: 'channel', label: 'Channel', values: 'channels' },
  { name: 'flavour', label: 'Flavour', values: 'flavours' },
  { name: 'region', label: 'Region', values: 'regions' },
] as const

function ClusterFilter({ view, onChange, facets }: Omit<PlanFormProps, 'count'>): ReactNode {
  const { versions, states, clusters } = view
  return (
    <FilterBar
      search={{
        label: 'Search clusters',
        placeholder: 'Name or alias',
        value: view.text,
        onChange: (text) => {
          onChange({ text })
        },
      }}
      chips={[
        ...versions.map((version) => ({
          name: 'version',
          value: version,
          onRemove: () => {
            onChange({ versions: toggled(versions, version) })
          },
        })),
        ...states.map((state) => ({
          name: 'state',
          value: state,
          onRemove: () => {
            onChange({ states: toggled(states, state) })
          },
        })),
        ...clusters.map((cluster) => ({
          name: 'cluster',
          value: cluster,
          onRemove: () => {
            onChange({ clusters: toggled(clusters, cluster) })
          },
        })),
      ]}
    >
      <FacetSelect
        label="Version"
        isMany
        values={versionChoices(facets.versions)}
        value=""
        onChange={(version) => {
          if (version !== '') onChange({ versions: toggled(versions, version) })
        }}
      />
      {FACETS.map(({ name, label, values }) => (
        <FacetSelect
          key={name}
          label={label}
          values={facets[values]}
          value={view[name]}
          onChange={(value) => {
            onChange({ [name]: value })
          }}
        />
      ))}
    </FilterBar>
  )
}

interface TextFieldProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly onChange: (text: string) => void
}

/** A text that counts when it is complete: with Enter, or when the field is left. */
function TextField({ label, placeholder, value, onChange }: TextFieldProps): ReactNode {
  return (
    <label className={`text-small ${styles.field}`}>
      <span className="quiet">{label}</span>
      <input
        key={value}
        className="control"
        placeholder={placeholder}
        defaultValue={value}
        onBlur={({ target }) => {
          if (target.value !== value) onChange(target.value)
        }}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter' && currentTarget.value !== value) onChange(currentTarget.value)
        }}
      />
    </label>
  )
}
