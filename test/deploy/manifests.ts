import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { expect } from 'vitest'
import { ROOT } from '../content/content.ts'

// Manifests and kustomizations of `deploy/kubernetes`, as Kustomize reads them.

export const DIR = join(ROOT, 'deploy/kubernetes')

export interface Container {
  readonly image: string
  readonly args: readonly string[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly securityContext: {
    readonly allowPrivilegeEscalation: boolean
    readonly readOnlyRootFilesystem: boolean
    readonly capabilities: { readonly drop: readonly string[]; readonly add?: readonly string[] }
    readonly privileged?: boolean
  }
  readonly resources: {
    readonly requests: { readonly cpu: string; readonly memory: string }
    readonly limits: { readonly memory: string; readonly cpu?: string }
  }
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[]
  readonly startupProbe?: Probe
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
}

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
  readonly periodSeconds: number
  readonly failureThreshold?: number
}

export interface PodSpec {
  readonly automountServiceAccountToken: boolean
  readonly serviceAccountName?: string
  readonly terminationGracePeriodSeconds?: number
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly securityContext: {
    readonly runAsNonRoot: boolean
    readonly runAsUser: number
    readonly fsGroup: number
    readonly seccompProfile: { readonly type: string }
  }
  readonly containers: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly volumes: readonly {
    readonly name: string
    readonly configMap?: { readonly name: string }
    readonly secret?: { readonly secretName: string; readonly optional?: boolean }
    readonly emptyDir?: object
    readonly hostPath?: object
    readonly persistentVolumeClaim?: { readonly claimName: string }
  }[]
}

export interface Claim {
  readonly metadata: { readonly name: string }
  readonly spec: object
}

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  readonly automountServiceAccountToken?: boolean
  readonly stringData?: Readonly<Record<string, string>>
  readonly spec: {
    readonly replicas?: number
    readonly serviceName?: string
    readonly selector?: { readonly matchLabels?: object }
    readonly ports?: readonly { readonly targetPort: string; readonly port: number }[]
    readonly template: { readonly metadata?: { readonly labels: object }; readonly spec: PodSpec }
    readonly volumeClaimTemplates: readonly Claim[]
    readonly podSelector?: { readonly matchLabels: object }
    readonly policyTypes?: readonly string[]
    readonly ingress?: readonly {
      readonly ports: readonly { readonly port: unknown }[]
      readonly from: readonly unknown[]
    }[]
    readonly egress?: readonly { readonly to: readonly unknown[]; readonly ports: readonly unknown[] }[]
    readonly port?: { readonly targetPort: string }
    readonly to?: { readonly name: string }
  }
}

export interface Kustomization {
  readonly resources: readonly string[]
  readonly namespace: string
  readonly configMapGenerator?: readonly { readonly name: string; readonly files: readonly string[] }[]
  readonly images?: readonly { readonly name: string; readonly newName: string; readonly newTag: string }[]
  readonly patches?: readonly {
    readonly target: { readonly kind: string; readonly name: string }
    readonly patch: string
  }[]
}

export function kustomization(folder: string): Kustomization {
  return parse(readFileSync(join(DIR, folder, 'kustomization.yaml'), 'utf8')) as Kustomization
}

/** The manifests of a folder. A repeated key or an open quote is an error. */
export function manifestsOf(folder: string): readonly Manifest[] {
  return kustomization(folder).resources.flatMap((path) => {
    if (!path.endsWith('.yaml')) return manifestsOf(join(folder, path))
    return parseAllDocuments(readFileSync(join(DIR, folder, path), 'utf8')).map((document) => {
      expect(document.errors, path).toEqual([])
      return document.toJS() as Manifest
    })
  })
}

/** The only manifest of a kind. */
export function one(manifests: readonly Manifest[], kind: string): Manifest {
  const found = manifests.filter((manifest) => manifest.kind === kind)
  expect(found, kind).toHaveLength(1)
  return found[0]!
}
