import { useState, type ReactNode } from 'react'
import { DOCS_PATH } from '../lib/paths.ts'
import { useSettings } from '../query/use-fleet.ts'
import { edgeKitSnippet, remoteWriteSnippet, isLoopback, SENDERS, type Sender } from '../lib/sender-snippets.ts'
import { Choice } from '../ui/choice.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import styles from './connect-cluster.module.css'

/** What an empty server shows: how the first cluster comes in. The address is the real one of this server. */
export function ConnectCluster(): ReactNode {
  const settings = useSettings()
  const [sender, setSender] = useState<Sender>('openshift')
  const url = settings.data?.externalUrl ?? location.origin
  const snippet = remoteWriteSnippet(sender, url)
  return (
    <section className={`panel ${styles.root}`} aria-labelledby="connect-title">
      <h2 id="connect-title">No cluster has reported yet</h2>
      <p>
        A cluster sends objects, metrics or both to Daytwo. Daytwo never writes to the cluster. Data appears on this
        page about one minute after it arrives.
      </p>
      <h3>Objects: upgrades with a resolution of one second</h3>
      <p>
        One pod with a stock OpenTelemetry Collector and a read-only role: the edge kit,{' '}
        <code>deploy/edge-kit.yaml</code> of the release.
      </p>
      <CodeBlock what="edge kit commands" text={edgeKitSnippet(url)}>
        {edgeKitSnippet(url)}
      </CodeBlock>
      <h3>Metrics: remote write from the existing Prometheus</h3>
      <CodeBlock
        what="remote write configuration"
        text={snippet}
        bar={<Choice label="Prometheus" options={SENDERS} value={sender} onChange={setSender} />}
      >
        {snippet}
      </CodeBlock>
      <ul className="bullets stack quiet">
        <li>
          Give every cluster a unique name in the label <code>cluster</code>; on OpenShift the cluster ID is sufficient.
        </li>
        <li>
          If the server requires tokens, create one for each cluster:{' '}
          <code>daytwo token add --role ingest --name my-cluster --cluster my-cluster</code>. Without tokens, omit{' '}
          <code>authorization</code>.
        </li>
        {isLoopback(url) ? (
          <li>
            <strong>{url}</strong> is a loopback address. For remote clusters, start Daytwo with an address that the
            clusters can reach.
          </li>
        ) : null}
      </ul>
      <p>
        <a href={`${DOCS_PATH}/getting-started`}>Getting started</a> has every step.
      </p>
    </section>
  )
}
