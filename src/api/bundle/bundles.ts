/**
 * `/api/fleet/v1/bundles`: evidence bundles. The subject is composed here, from what is in memory and from the fleet; the
 * query worker reads the data, redacts and packs it.
 */
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { BundleSubject } from '../../bundle/content.ts'
import type { BundleWish } from '../../bundle/make-bundle.ts'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import { AlertBundleQuery, BundleArchive, RolloutBundleQuery, UpgradeBundleQuery } from '../../contract/bundles.ts'
import type { RedactionName, RedactionPolicy } from '../../model/redaction.ts'
import { FINGERPRINT } from '../fleet/alerts.ts'
import { actorOf } from '../fleet/people.ts'
import { rolloutAsked } from '../fleet/rollouts.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import { ownerOf } from '../server/access.ts'
import type { AnswerBytes } from '../server/answer-bytes.ts'
import { ownRoute } from '../server/own-route.ts'
import { sendBytes } from '../server/pieces.ts'
import { alertSubject } from './alert-subject.ts'
import { rolloutSubject } from './rollout-subject.ts'
import type { SubjectDeps, SubjectPorts } from './subject-ports.ts'
import { upgradeSubject } from './upgrade-subject.ts'

/** The archive in parts. Rejects with `too_large` and `query_canceled`. */
export type MakeBundle = (wish: BundleWish, signal?: AbortSignal) => Promise<AnswerBytes>

interface BundlePorts extends SubjectPorts {
  readonly bundles: MakeBundle
}

interface BundleDeps extends Omit<SubjectDeps, 'nowMs'> {
  readonly ports: PortsOf<BundlePorts>
  readonly redaction: () => RedactionPolicy
  readonly metrics: OwnMetrics
  readonly clock: Clock
}

/** Each bundle keeps the query worker busy for seconds. */
export const BUNDLES_MAX = 2

export function registerBundles(app: FastifyInstance, deps: BundleDeps): void {
  const answer = bundleAnswers(deps)

  ownRoute(app, 'GET /api/fleet/v1/bundles/upgrades/:id', {
    summary: 'Evidence bundle of an upgrade: one archive that opens without a server.',
    path: { id: 'ID of the upgrade.' },
    query: UpgradeBundleQuery,
    lane: 'query',
    mediaType: 'application/zip',
    answer: BundleArchive,
    handler: ({ params: { id }, query: { redact }, request, reply }) =>
      answer(request, reply, 'upgrade', redact, (ports, of) => upgradeSubject(ports, of, id)),
  })

  ownRoute(app, 'GET /api/fleet/v1/bundles/alerts/:fingerprint', {
    summary: 'Evidence bundle of an occurrence of an alert: one archive that opens without a server.',
    path: FINGERPRINT,
    query: AlertBundleQuery,
    lane: 'query',
    mediaType: 'application/zip',
    answer: BundleArchive,
    handler: ({ params: { fingerprint }, query: { redact, activeAtMs }, request, reply }) =>
      answer(request, reply, 'alert', redact, (ports, of) => alertSubject(ports, of, fingerprint, activeAtMs)),
  })

  ownRoute(app, 'GET /api/fleet/v1/bundles/rollouts/:version', {
    summary: 'Evidence bundle of the verdict on a rollout: one archive that opens without a server.',
    path: { version: 'The version that clusters upgrade to.' },
    query: RolloutBundleQuery,
    lane: 'query',
    mediaType: 'application/zip',
    answer: BundleArchive,
    handler: ({ params: { version }, query: { redact, ...query }, request, reply }) =>
      answer(request, reply, 'rollout', redact, (ports, of) => rolloutSubject(ports, of, rolloutAsked(version, query))),
  })
}

type Compose = (ports: SubjectPorts, deps: SubjectDeps) => Promise<BundleSubject>

interface MadeBundle {
  readonly subject: BundleSubject
  readonly archive: AnswerBytes
  readonly sha256: string
}

/** Answers with the bundle of a subject: one at a time of each user, and few in all. Each bundle is in the audit. */
function bundleAnswers(deps: BundleDeps) {
  const { metrics, clock } = deps
  const running = new Set<string>()
  const make = async (
    request: FastifyRequest,
    kind: BundleSubject['kind'],
    redact: RedactionName,
    policy: RedactionPolicy,
    compose: Compose,
  ): Promise<MadeBundle> => {
    const ports = deps.ports(request)
    const subject = await compose(ports, { ...deps, nowMs: clock.nowMs() })
    const archive = await ports.bundles({ subject, redaction: redactionOf(policy, redact) }, request.left)
    const { sha256, bytes } = digestOf(archive)
    await ports.people.record({
      ...{
        atMs: clock.nowMs(),
        by: actorOf(request),
        action: 'bundle.make',
        subject: subject.clusters[0] ?? subject.id,
      },
      detail: JSON.stringify({ kind, id: subject.id, redaction: redact, bytes, sha256 }),
    })
    return { subject, archive, sha256 }
  }
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    kind: BundleSubject['kind'],
    redact: RedactionName = 'default',
    compose: Compose,
  ): Promise<FastifyReply> => {
    const owner = ownerOf(request)
    const policy = deps.redaction()
    const refuse = (failure: FleetError): never => {
      metrics.bundles.inc({ kind, outcome: 'refused' })
      throw failure
    }
    if (!policy.allowed.includes(redact)) {
      const allowed = policy.allowed.join(', ')
      refuse(new FleetError('forbidden', `got redaction ${redact}, want ${allowed}: bundle.redaction allows no other`))
    }
    if (running.has(owner)) {
      refuse(
        new FleetError('too_many_requests', 'another bundle of yours is being made; one at a time', {
          hint: 'wait for it to end',
        }),
      )
    }
    if (running.size >= BUNDLES_MAX) {
      refuse(
        new FleetError('overloaded', `${running.size} bundles are being made; at most ${BUNDLES_MAX} at a time`, {
          hint: 'wait for one of them to end',
        }),
      )
    }
    running.add(owner)
    const made = make(request, kind, redact, policy, compose).finally(() => running.delete(owner))
    const { subject, archive, sha256 } = await made.catch((thrown: unknown) => {
      metrics.bundles.inc({ kind, outcome: 'failed' })
      throw thrown
    })
    metrics.bundles.inc({ kind, outcome: 'made' })
    void reply
      .header('content-disposition', `attachment; filename="${fileNameOf(subject)}"`)
      .header('cache-control', 'no-store')
      .header('repr-digest', `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`)
    return sendBytes(reply, 'application/zip', archive)
  }
}

function redactionOf({ profiles, pseudonymKey }: RedactionPolicy, name: RedactionName): BundleWish['redaction'] {
  return { name, profile: profiles[name], ...(pseudonymKey === undefined ? {} : { key: pseudonymKey }) }
}

function digestOf(parts: AnswerBytes): { readonly sha256: string; readonly bytes: number } {
  const hash = createHash('sha256')
  let bytes = 0
  for (const part of parts) {
    hash.update(part)
    bytes += part.length
  }
  return { sha256: hash.digest('hex'), bytes }
}

/** Without any name: a file name is not redacted. */
function fileNameOf({ kind, window }: BundleSubject): string {
  const time = new Date(window.fromMs).toISOString().replace(/[-:]|\.\d+/g, '')
  return `daytwo-${kind}-${time}.zip`
}
