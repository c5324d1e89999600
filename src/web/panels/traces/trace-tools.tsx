import type { ReactNode, Ref } from 'react'
import { countOf } from '../../lib/format-number.ts'
import type { TraceView } from '../../lib/trace-view.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'

interface TraceToolsProps {
  readonly view: TraceView
  readonly searchRef: Ref<HTMLInputElement>
  readonly foundCount: number
  readonly errorCount: number
  readonly onChange: (view: TraceView) => void
  /** Opens the next or previous span that was searched for, or that failed. */
  readonly onStep: (among: 'found' | 'errors', by: 1 | -1) => void
}

/** Search, errors, zoom and form of the spans. */
export function TraceTools(props: TraceToolsProps): ReactNode {
  const { view, searchRef, foundCount, errorCount, onChange, onStep } = props
  const [from, to] = view.zoom
  const isZoomed = from > 0 || to < 1
  return (
    <div className="row filters" style={{ minBlockSize: '2.25rem' }}>
      <input
        ref={searchRef}
        type="search"
        className="filters-search"
        aria-label="Search in this trace"
        placeholder="Name, service, key=value"
        value={view.text}
        onChange={(event) => {
          onChange({ ...view, text: event.target.value })
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onStep('found', event.shiftKey ? -1 : 1)
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      {view.text === '' ? null : (
        <span className="quiet nums" role="status">
          {countOf(foundCount, 'span')} found
        </span>
      )}
      {errorCount === 0 ? null : (
        <span className="filters-row">
          <Button
            size="sm"
            onClick={() => {
              onStep('errors', -1)
            }}
          >
            Previous error
          </Button>
          <Button
            size="sm"
            onClick={() => {
              onStep('errors', 1)
            }}
          >
            Next error
          </Button>
        </span>
      )}
      {isZoomed ? (
        <Button
          variant="link"
          size="sm"
          onClick={() => {
            onChange({ ...view, zoom: [0, 1] })
          }}
        >
          Show the whole trace
        </Button>
      ) : null}
      {view.closed.length === 0 ? null : (
        <Button
          variant="link"
          size="sm"
          onClick={() => {
            onChange({ ...view, closed: [] })
          }}
        >
          Open all spans
        </Button>
      )}
      <span className="at-end">
        <Choice
          label="Show as"
          options={{ waterfall: 'Waterfall', table: 'Table' }}
          value={view.show}
          onChange={(show) => {
            onChange({ ...view, show })
          }}
        />
      </span>
    </div>
  )
}
