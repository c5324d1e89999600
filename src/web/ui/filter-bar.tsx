import { useRef, type ComponentProps, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { FilterChip } from './filter-chip.tsx'
import { valueTo } from './form-events.ts'
import { useKeys } from './use-keys.ts'

interface FilterBarProps {
  /** A text that narrows the list as it is typed. `/` leads into it. */
  readonly search?: {
    /** For screen readers: `Search alerts and clusters`. */
    readonly label: string
    readonly placeholder?: string
    readonly value: string
    readonly onChange: (text: string) => void
  }
  /** Another field in place of `search`. */
  readonly field?: ReactNode
  /** Facets and choices: a row of `FacetSelect`, `Choice`, `ManyChoice`. */
  readonly children?: ReactNode
  /** Choices that wrap onto lines of their own and do not scroll with the row on a phone. */
  readonly more?: ReactNode
  /** What else the list is narrowed to; each can be taken away. */
  readonly chips?: readonly ComponentProps<typeof FilterChip>[]
  /** Takes all filters away; absent while the list is whole. */
  readonly onReset?: (() => void) | undefined
  /** At the end of the line: how many are shown, or tools. */
  readonly end?: ReactNode
  readonly className?: string | undefined
}

/** What a list is narrowed to. All of it stands in the address: this only shows it and tells what is wanted. */
export function FilterBar(props: FilterBarProps): ReactNode {
  const { search, field, children, more, chips = [], onReset, end, className } = props
  return (
    <div className={classNames('row filters', className)}>
      {search === undefined ? field : <SearchField {...search} />}
      {children === undefined ? null : <div className="filters-row">{children}</div>}
      {more}
      {chips.map((chip) => (
        <FilterChip key={`${chip.name} ${chip.value}`} {...chip} />
      ))}
      {onReset === undefined ? null : (
        <Button variant="inline" onClick={onReset}>
          Show all
        </Button>
      )}
      {end}
    </div>
  )
}

/** The field of a filter bar, also where it stands alone. */
export function SearchField(props: NonNullable<FilterBarProps['search']>): ReactNode {
  const { label, placeholder, value, onChange } = props
  const input = useRef<HTMLInputElement>(null)
  useKeys({
    '/': () => {
      input.current?.focus()
    },
  })
  return (
    <input
      ref={input}
      type="search"
      className="control filters-search"
      aria-label={label}
      placeholder={placeholder}
      value={value}
      onChange={valueTo(onChange)}
    />
  )
}
