import { useState } from 'react'
import type { ReactNode } from 'react'
import { useSettings } from '../query/use-fleet.ts'
import { remoteWriteSnippet, isLoopback, SENDERS } from '../lib/remote-write-snippet.ts'
import type { Sender } from '../lib/remote-write-snippet.ts'
import { Choice } from '../ui/choice.tsx'
import { CodeBlock } from '../ui/code-block.tsx'

/** What an empty server shows: how the first cluster comes in. The address is the real one of this server. */
export function ConnectCluster(): ReactNode {
  const settings = useSettings()
  const [sender, setSender] = useState<Sender>('openshift')
  const url = settings.data?.externalUrl ?? location.origin
  const snippet = remoteWriteSnippet(sender, url)
  return (
    <section className="connect" aria-labelledby="connect-title">
      <h2 id="connect-title">No cluster has reported yet</h2>
      <p>
        Daytwo reads what the cluster's own Prometheus already scrapes. Add this once per cluster; this page fills by
        itself about a minute after the first write.
      </p>
      <CodeBlock
        what="remote write configuration"
        text={snippet}
        bar={<Choice label="Which Prometheus" options={SENDERS} value={sender} onChange={setSender} />}
      >
        {snippet}
      </CodeBlock>
      <ul className="connect-notes">
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
    </section>
  )
}
