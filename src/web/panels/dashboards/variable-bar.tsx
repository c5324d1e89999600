import { useState, type ReactNode } from 'react'
import { ALL_VALUES, type ListVariable, type TextVariable } from '../../../model/dashboard.ts'
import { countOf } from '../../lib/format-number.ts'
import type { VariableState, Variables } from '../../query/use-dashboards.ts'
import { submitTo, valueTo } from '../../ui/form-events.ts'
import { Popover } from '../../ui/popover.tsx'
import { Shape } from '../../ui/shapes.tsx'
import styles from './variable-bar.module.css'

interface VariableBarProps {
  readonly variables: Variables
  /** Empty: the default of the file. */
  readonly onChoose: (name: string, values: readonly string[]) => void
}

/** One control for each variable that is not hidden. */
export function VariableBar({ variables, onChoose }: VariableBarProps): ReactNode {
  const shown = variables.states.filter(({ variable }) => !variable.isHidden)
  if (shown.length === 0) return null
  return (
    <div className="row row-controls" role="group" aria-label="Variables">
      {shown.map((state) => {
        const { variable } = state
        return variable.kind === 'text' ? (
          <TextControl key={variable.name} variable={variable} value={state.chosen[0] ?? ''} onChoose={onChoose} />
        ) : (
          <ListControl key={variable.name} variable={variable} state={state} onChoose={onChoose} />
        )
      })}
      {variables.ring.length > 0 ? (
        <p className="tone-critical" role="alert">
          <Shape name="cross" /> {variables.ring.join(' and ')} depend on each other and cannot be resolved.
        </p>
      ) : null}
    </div>
  )
}

/** Options that are drawn; more have to be narrowed. */
const OPTIONS_MAX = 200
/** Values that are named on the button. */
const NAMED_MAX = 2

interface ListControlProps extends Pick<VariableBarProps, 'onChoose'> {
  readonly variable: ListVariable
  readonly state: VariableState
}

function ListControl({ variable, state, onChoose }: ListControlProps): ReactNode {
  const { options, chosen, failure, isLoading } = state
  const [text, setText] = useState('')
  const says = chosen.includes(ALL_VALUES)
    ? options.length > 0
      ? `All ${options.length}`
      : 'All'
    : chosen.length === 0
      ? isLoading
        ? '…'
        : 'none'
      : chosen.length > NAMED_MAX
        ? `${chosen.length} of ${options.length}`
        : chosen.map((value) => options.find((option) => option.value === value)?.label ?? value).join(', ')
  const wanted = text.toLowerCase()
  const found = options.filter((option) => option.label.toLowerCase().includes(wanted))
  const all = variable.allowsAll ? [{ value: ALL_VALUES, label: 'All' }] : []
  const toggle = (value: string): void => {
    if (!variable.allowsMultiple || value === ALL_VALUES) {
      onChoose(variable.name, [value])
      return
    }
    const others = chosen.filter((one) => one !== value && one !== ALL_VALUES)
    onChoose(variable.name, chosen.includes(value) ? others : [...others, value])
  }
  const type = variable.allowsMultiple ? 'checkbox' : 'radio'
  return (
    <Popover
      label={`Values of ${variable.title}`}
      button={
        <>
          <span className="quiet text-small">
            {variable.title}
            <span className="visually-hidden">: </span>
          </span>
          {failure === undefined ? (
            <span className={`one-line ${styles.value}`}>{says}</span>
          ) : (
            <span className="tone-critical">
              <Shape name="cross" /> not loaded
            </span>
          )}
        </>
      }
    >
      {(close) => (
        <>
          {variable.description === '' ? null : <p className="quiet text-small">{variable.description}</p>}
          <input
            data-first
            type="search"
            className="control"
            aria-label={`Find in ${variable.title}`}
            placeholder="Find"
            value={text}
            onChange={valueTo(setText)}
            onKeyDown={(event) => {
              const [only] = found
              if (event.key !== 'Enter' || only === undefined) return
              event.preventDefault()
              onChoose(variable.name, [only.value])
              close()
            }}
          />
          {failure === undefined ? null : (
            <p className="tone-critical" role="alert">
              <Shape name="cross" /> Could not load the values: {failure.message}
            </p>
          )}
          <div className={`stack ${styles.options}`}>
            {[...all, ...found.slice(0, OPTIONS_MAX)].map(({ value, label }) => (
              <label key={value} className={`row ${styles.option}`}>
                <input
                  type={type}
                  name={variable.name}
                  checked={chosen.includes(value)}
                  onChange={() => {
                    toggle(value)
                  }}
                />
                {label}
              </label>
            ))}
            {found.length === 0 && !isLoading ? (
              <p className="quiet">{options.length === 0 ? 'No values in this range.' : 'No value matches.'}</p>
            ) : null}
            {found.length > OPTIONS_MAX ? (
              <p className="quiet">{countOf(found.length - OPTIONS_MAX, 'more')}: type a part of the name.</p>
            ) : null}
          </div>
        </>
      )}
    </Popover>
  )
}

interface TextControlProps extends Pick<VariableBarProps, 'onChoose'> {
  readonly variable: TextVariable
  readonly value: string
}

/** Applied with Enter, or when the field loses the focus. */
function TextControl({ variable, value, onChoose }: TextControlProps): ReactNode {
  const [typed, setTyped] = useState(value)
  const take = (): void => {
    if (typed !== value) onChoose(variable.name, [typed])
  }
  return (
    <form className={styles.text} onSubmit={submitTo(take)}>
      <label className="inline-row">
        <span className="quiet text-small">{variable.title}</span>
        <input
          className="control"
          value={typed}
          readOnly={variable.isConstant}
          onChange={valueTo(setTyped)}
          onBlur={take}
        />
      </label>
    </form>
  )
}
