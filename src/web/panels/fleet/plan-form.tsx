import { useId, type ReactNode } from 'react'
import type { ClusterFacets } from '../../../contract/fleet-clusters.ts'
import { proposedTargets, type PlanView } from '../../lib/plan-view.ts'
import { Select } from '../../ui/select.tsx'
import { ClusterFields, valueChips } from './cluster-fields.tsx'
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
        <ClusterFields
          view={view}
          onChange={onChange}
          facets={facets}
          chips={[
            ...valueChips('version', view.versions, (versions) => {
              onChange({ versions })
            }),
            ...valueChips('state', view.states, (states) => {
              onChange({ states })
            }),
            ...valueChips('cluster', view.clusters, (clusters) => {
              onChange({ clusters })
            }),
          ]}
        />
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
