/** The commands that bring the edge kit (deploy/edge-kit.yaml) into a cluster, for this server. Pure. */

/** What stands in the file's placeholders: the shell's variables, and the address of this server. */
const REPLACED = {
  REPLACE_WITH_TOKEN: '$TOKEN',
  REPLACE_WITH_CLUSTER_NAME: '$CLUSTER',
  REPLACE_WITH_CLUSTER_UID: '$CLUSTER_UID',
} as const

/** @param baseUrl the server's address without a slash at the end */
export function edgeKitSnippet(baseUrl: string): string {
  const replaced = Object.entries({ REPLACE_WITH_ENDPOINT: baseUrl, ...REPLACED })
  const edits = replaced.map(([placeholder, value]) => `  -e "s|${placeholder}|${value}|"`).join(' \\\n')
  return `export CLUSTER=my-cluster TOKEN=the-token-of-the-cluster
export CLUSTER_UID=$(kubectl get namespace kube-system -o jsonpath='{.metadata.uid}')
sed \\
${edits} \\
  deploy/edge-kit.yaml | kubectl apply -f -
`
}
