import { FleetError } from '../base/errors.ts'
import { positionOf, type Diagnostic } from '../model/diagnostic.ts'

/**
 * An invalid query, or a query with a feature that this engine does not have. The message is in Prometheus' form (`1:5:
 * parse error: unclosed left parenthesis`); the diagnostic has the range for a caret or an underline.
 */
export class PromqlError extends FleetError {
  override readonly name = 'PromqlError'
  readonly diagnostic: Diagnostic

  /** @param text the whole query, to which the offsets of `diagnostic` refer */
  constructor(text: string, diagnostic: Diagnostic) {
    const { line, column } = positionOf(text, diagnostic.from)
    super(
      'query_parse',
      `${line}:${column}: parse error: ${diagnostic.message}`,
      diagnostic.help === undefined ? {} : { hint: diagnostic.help },
    )
    this.diagnostic = diagnostic
  }
}

/** Throws at a range of `text`. */
export function refuse(text: string, from: number, to: number, message: string, help?: string): never {
  throw new PromqlError(text, { severity: 'error', message, from, to, ...(help === undefined ? {} : { help }) })
}
