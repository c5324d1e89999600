/**
 * The port for spans about the program's own work. Traced code uses this interface and no tracing library; where tracing
 * is off, `NO_TRACING` runs the work and records nothing.
 */
export interface Tracing {
  /** False: no span is recorded, so callers can skip the preparation of attributes. */
  readonly isOn: boolean
  /** Runs the work inside a span that ends with it. A failure ends the span as an error and is rethrown. */
  span<T>(name: string, attributes: SpanAttributes, work: (span: Pick<OpenSpan, 'set'>) => Promise<T>): Promise<T>
  /** Starts a span that the caller ends. A span that is never ended is never exported. */
  open(name: string, attributes: SpanAttributes, kind?: 'internal' | 'server'): OpenSpan
  /** A span that records neither itself nor the work within. */
  muted(): OpenSpan
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export interface OpenSpan {
  set(key: string, value: string | number | boolean): void
  /** Spans started by the work, also later, become children of this span. */
  within<T>(work: () => T): T
  /** @param failure the error message of failed work */
  end(failure?: string): void
}

const NO_SPAN: OpenSpan = {
  set: () => undefined,
  within: (work) => work(),
  end: () => undefined,
}

export const NO_TRACING: Tracing = {
  isOn: false,
  span: (_name, _attributes, work) => work(NO_SPAN),
  open: () => NO_SPAN,
  muted: () => NO_SPAN,
}
