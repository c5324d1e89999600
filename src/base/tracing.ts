/**
 * The port for telling what the program itself does, as spans. What is traced knows this and no tracing library; without
 * one, `NO_TRACING` stands here, which calls what it is given and does nothing else.
 */
export interface Tracing {
  /** False: nothing is told, and whoever would only prepare it need not. */
  readonly isOn: boolean
  /** Does the work inside a span that ends with it. A failure ends it too, as an error, and is passed on. */
  span<T>(name: string, attributes: SpanAttributes, work: (span: SpanNotes) => Promise<T>): Promise<T>
  /** A span that ends elsewhere than it begins. One that is never ended is never told. */
  open(name: string, attributes: SpanAttributes, kind?: 'internal' | 'server'): OpenSpan
  /** Holds work of which nothing is told. */
  muted(): OpenSpan
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export interface SpanNotes {
  set(key: string, value: string | number | boolean): void
}

export interface OpenSpan extends SpanNotes {
  /** What is done in it, and whatever that goes on to do, is below this span. */
  within<T>(work: () => T): T
  /** @param failure what went wrong, if anything did */
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
