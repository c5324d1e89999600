import type { ReactNode } from 'react'
import type { OtlpTraceAnswer } from '../../lib/otlp-json.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { saveFile } from '../../ui/save-file.ts'

interface TraceExportProps {
  readonly traceId: string
  readonly answer: OtlpTraceAnswer
}

/** Exports the trace: as a file, or by the API of Jaeger. */
export function TraceExport({ traceId, answer }: TraceExportProps): ReactNode {
  return (
    <>
      <Button
        size="sm"
        onClick={() => {
          // As the collector's file receiver reads it: what the API answers, without its envelope.
          saveFile(`trace-${traceId}.otlp.json`, JSON.stringify(answer.result), 'application/json')
        }}
      >
        Download OTLP JSON
      </Button>
      <details className="quiet text-small api-call">
        <summary>Open in Jaeger or Grafana</summary>
        <p className="quiet">
          The server implements the Jaeger query API. Configure this address in the Jaeger UI or as a Jaeger data source
          in Grafana, with a token of the role viewer, and search by trace ID.
        </p>
        <CodeBlock what="Jaeger address" text={`${location.origin} ${traceId}`}>
          {`${location.origin}\n${traceId}`}
        </CodeBlock>
      </details>
    </>
  )
}
