import { expect, test } from 'vitest'
import {
  clusterOfNames,
  namePatternText,
  readNamePattern,
  type CertificateName,
} from '../../src/model/client-certificate.ts'

const patternsOf = (texts: string) => texts.split(' ').map((text) => readNamePattern(text)!)
const namesOf = (texts: string): readonly CertificateName[] =>
  texts.split(' ').map((text) => {
    const colon = text.indexOf(':')
    return { field: text.slice(0, colon) as CertificateName['field'], value: text.slice(colon + 1) }
  })

test.each([
  ['cn:*', 'cn:prague', 'prague'],
  ['cn:cluster-*', 'cn:cluster-prague', 'prague'],
  ['cn:cluster-*', 'cn:cluster-', undefined],
  ['cn:cluster-*', 'cn:prague', undefined],
  ['cn:*', 'dns:prague', undefined],
  ['dns:*.clusters.example', 'dns:prague.clusters.example', 'prague'],
  ['dns:*.clusters.example', 'dns:.clusters.example', undefined],
  ['dns:*.clusters.example', 'dns:prague.clusters.example.evil.example', undefined],
  ['dns:*.clusters.example', 'dns:a.b.clusters.example', undefined],
  ['uri:spiffe://fleet/*', 'uri:spiffe://fleet/prague', 'prague'],
  ['uri:spiffe://fleet/*/agent', 'uri:spiffe://fleet/prague/agent', 'prague'],
  ['uri:spiffe://fleet/*', 'uri:spiffe://fleet/prague/agent', undefined],
  ['email:*@clusters.example', 'email:prague@clusters.example', 'prague'],
  ['email:*@clusters.example', 'email:a@b@clusters.example', undefined],
  ['dns:agent.example=prague', 'dns:agent.example', 'prague'],
  ['dns:agent.example=prague', 'dns:agent.example.evil', undefined],
  // Several names of one cluster are fine, of two clusters are nobody's.
  ['cn:* dns:*.x', 'cn:prague dns:prague.x', 'prague'],
  ['cn:* dns:*.x', 'cn:prague dns:brno.x', undefined],
  ['dns:*.x', 'dns:prague.x dns:brno.x', undefined],
  // The parts around the cluster must not overlap.
  ['cn:aba*aba', 'cn:ababa', undefined],
])('with the names %s a certificate of %s is of the cluster %s', (patterns, names, cluster) => {
  expect(clusterOfNames(namesOf(names), patternsOf(patterns))).toBe(cluster)
})

test.each(['', 'cn', 'cn:', 'cn:prague', 'cn:a*b*', 'cn:*=prague', 'ou:*', 'dns:=prague', 'dns:a=', 'dns:a=b=c'])(
  '%j is no pattern',
  (text) => {
    expect(readNamePattern(text)).toBeUndefined()
  },
)

test.each(['cn:*', 'dns:*.clusters.example', 'uri:spiffe://fleet/*/agent', 'dns:agent.example=prague'])(
  '%s is written as it is read',
  (text) => {
    expect(namePatternText(readNamePattern(text)!)).toBe(text)
  },
)
