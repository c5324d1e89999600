/** The parts of OTLP/JSON (opentelemetry-proto 1.x) that a page reads of a trace. What is empty may be absent. */

export interface OtlpValue {
  readonly stringValue?: string
  readonly boolValue?: boolean
  readonly intValue?: string | number
  readonly doubleValue?: number | string
  readonly bytesValue?: string
  readonly arrayValue?: { readonly values?: readonly OtlpValue[] }
  readonly kvlistValue?: { readonly values?: readonly OtlpKeyValue[] }
}

export interface OtlpKeyValue {
  readonly key: string
  readonly value?: OtlpValue
}

export interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind?: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes?: readonly OtlpKeyValue[]
  readonly events?: readonly {
    readonly timeUnixNano: string
    readonly name?: string
    readonly attributes?: readonly OtlpKeyValue[]
  }[]
  readonly links?: readonly {
    readonly traceId: string
    readonly spanId: string
    readonly attributes?: readonly OtlpKeyValue[]
  }[]
  readonly status?: { readonly code?: number; readonly message?: string }
}

export interface OtlpResourceSpans {
  readonly resource?: { readonly attributes?: readonly OtlpKeyValue[] }
  readonly scopeSpans?: readonly {
    readonly scope?: {
      readonly name?: string
      readonly version?: string
      readonly attributes?: readonly OtlpKeyValue[]
    }
    readonly spans?: readonly OtlpSpan[]
  }[]
}

/** `GET /api/v3/traces/<traceId>`. */
export interface OtlpTraceAnswer {
  readonly result: { readonly resourceSpans: readonly OtlpResourceSpans[] }
}

/** A value for reading; lists and maps as JSON. */
export function otlpText(value: OtlpValue | undefined): string {
  const plain = plainOf(value)
  if (plain === null) return ''
  return typeof plain === 'string' ? plain : JSON.stringify(plain)
}

function plainOf(value: OtlpValue | undefined): unknown {
  if (value?.arrayValue !== undefined) return (value.arrayValue.values ?? []).map(plainOf)
  if (value?.kvlistValue !== undefined) {
    return Object.fromEntries((value.kvlistValue.values ?? []).map((one) => [one.key, plainOf(one.value)]))
  }
  return value?.stringValue ?? value?.boolValue ?? value?.intValue ?? value?.doubleValue ?? value?.bytesValue ?? null
}

/** The trace at a moment: started spans; those that had not ended then end at the moment, without a status. */
export function otlpAt(resourceSpans: readonly OtlpResourceSpans[], atMs: number): readonly OtlpResourceSpans[] {
  const atNs = BigInt(Math.round(atMs)) * 1_000_000n
  const isPast = (ns: string): boolean => BigInt(ns) <= atNs
  return resourceSpans.map((ofResource) => ({
    ...ofResource,
    scopeSpans: (ofResource.scopeSpans ?? []).map((ofScope) => ({
      ...ofScope,
      spans: (ofScope.spans ?? [])
        .filter(({ startTimeUnixNano }) => isPast(startTimeUnixNano))
        .map((span) => {
          if (isPast(span.endTimeUnixNano)) return span
          const events = (span.events ?? []).filter(({ timeUnixNano }) => isPast(timeUnixNano))
          return { ...span, endTimeUnixNano: String(atNs), events, status: {} }
        }),
    })),
  }))
}
