import type { ReactNode } from 'react'
import styles from './choice.module.css'

interface Option<T extends string> {
  readonly value: T
  readonly text: string
}

interface ChoiceProps<T extends string> {
  readonly label: string
  /** In this order; of a record each name is a value, with its text. */
  readonly options: readonly Option<T>[] | Readonly<Record<T, string>>
  readonly value: T
  readonly onChange: (value: T) => void
}

/** One of a few, all visible: a row of buttons of which one is pressed. */
export function Choice<T extends string>({ label, options, value, onChange }: ChoiceProps<T>): ReactNode {
  return <Buttons label={label} options={listOf(options)} isPressed={(one) => one === value} onPress={onChange} />
}

function listOf<T extends string>(options: ChoiceProps<T>['options']): readonly Option<T>[] {
  if (Array.isArray(options)) return options as readonly Option<T>[]
  return Object.entries<string>(options as Record<T, string>).map(([value, text]) => ({ value: value as T, text }))
}

interface ManyChoiceProps<T extends string> {
  readonly label: string
  readonly options: readonly T[]
  /** In the order of the options. None: all of them. */
  readonly chosen: readonly T[]
  readonly onChange: (chosen: readonly T[]) => void
}

/** Any of a few, all visible: a row of buttons of which several may be pressed. */
export function ManyChoice<T extends string>({ label, options, chosen, onChange }: ManyChoiceProps<T>): ReactNode {
  return (
    <Buttons
      label={label}
      options={options.map((value) => ({ value, text: value }))}
      isPressed={(one) => chosen.includes(one)}
      onPress={(pressed) => {
        onChange(options.filter((one) => chosen.includes(one) !== (one === pressed)))
      }}
    />
  )
}

interface ButtonsProps<T extends string> {
  readonly label: string
  readonly options: readonly Option<T>[]
  readonly isPressed: (value: T) => boolean
  readonly onPress: (value: T) => void
}

function Buttons<T extends string>({ label, options, isPressed, onPress }: ButtonsProps<T>): ReactNode {
  return (
    <div className={`screen-only ${styles.root}`} role="group" aria-label={label}>
      {options.map(({ value, text }) => (
        <button
          key={value}
          type="button"
          className={styles.option}
          aria-pressed={isPressed(value)}
          onClick={() => {
            onPress(value)
          }}
        >
          {text}
        </button>
      ))}
    </div>
  )
}
