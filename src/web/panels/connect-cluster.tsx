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
        Two things go from a cluster to Daytwo, and either alone is useful. Nothing is written to the cluster, and this
        page fills by itself about a minute after the first of them arrives.
      </p>
      <h3>Objects, which upgrades are read from to the second</h3>
      <p>
        One pod with a stock OpenTelemetry Collector and a read-only role: the edge kit,{' '}
        <code>deploy/edge-kit.yaml</code> of this program.
      </p>
      <CodeBlock what="edge kit commands" text={edgeKitSnippet(url)}>
        {edgeKitSnippet(url)}
      </CodeBlock>
      <h3>Metrics, by the Prometheus that is there already</h3>
      <CodeBlock
        what="remote write configuration"
        text={snippet}
        bar={<Choice label="Which Prometheus" options={SENDERS} value={sender} onChange={setSender} />}
      >
        {snippet}
      </CodeBlock>
      <ul className="bullets stack quiet">
        <li>
          Give every cluster its own name in the label <code>cluster</code>; on OpenShift its id does that by itself.
        </li>
        <li>
          When this server asks for tokens, make one for each cluster:{' '}
          <code>daytwo token add --role ingest --name my-cluster --cluster my-cluster</code>. Without tokens, leave the{' '}
          <code>authorization</code> part out.
        </li>
        {isLoopback(url) ? (
          <li>
            <strong>{url}</strong> is this machine only. For clusters elsewhere, start Daytwo with an address that they
            reach.
          </li>
        ) : null}
      </ul>
      <p>
        <a href={`${DOCS_PATH}/getting-started`}>Getting started</a> has every step.
      </p>
    </section>
  )
}
