import { expect, test } from 'vitest'
import { UNITS } from '../../../../src/model/unit.ts'
import { guessUnit } from '../../../../src/web/lib/promql/guess-unit.ts'

const said = (metric: string): string | undefined => ({ process_open: 'bytes', odd: 'furlongs' })[metric]

test.each([
  // The name of a metric.
  ['kubevirt_vmi_memory_available_bytes', 'bytes'],
  ['a_duration_seconds{cluster="x"}', 'seconds'],
  ['vm_created_timestamp_seconds', 'datetime-local'],
  ['cache_hit_ratio', 'percent-decimal'],
  ['kubevirt_info', undefined],
  ['requests_total', 'decimal'],
  ['process_open', 'bytes'],
  ['odd', undefined],
  ['{"node.memory_bytes"}', 'bytes'],
  // What is done with it.
  ['rate(net_bytes_total[5m])', 'bytes/sec'],
  ['sum by (a) (irate(http_requests_total[5m] offset 1h))', 'requests/sec'],
  ['rate(restarts_total[5m])', 'counts/sec'],
  ['rate(cpu_seconds_total[5m])', 'decimal'],
  ['increase(net_bytes_total[1d])', 'bytes'],
  ['max_over_time(memory_bytes[1d:5m])', 'bytes'],
  ['-(memory_bytes)', 'bytes'],
  ['count by (kubeversion) (kubevirt_info)', 'decimal'],
  ['topk(3, memory_bytes)', 'bytes'],
  ['quantile(0.9, a_seconds)', 'seconds'],
  ['stdvar(a_seconds)', undefined],
  ['histogram_quantile(0.9, sum by (le) (rate(wait_seconds_bucket[5m])))', 'seconds'],
  ['histogram_avg(rate(size_bytes[5m]))', 'bytes'],
  ['histogram_count(rate(size_bytes[5m]))', 'decimal'],
  ['time()', 'datetime-local'],
  ['sqrt(memory_bytes)', undefined],
  ['label_replace(memory_bytes, "a", "$1", "b", "(.*)")', 'bytes'],
  // Pairs.
  ['memory_bytes > 3', 'bytes'],
  ['memory_bytes > bool 3', 'decimal'],
  ['time() - vm_created_timestamp_seconds', 'seconds'],
  ['free_bytes / size_bytes', 'percent-decimal'],
  ['100 * free_bytes / size_bytes', 'percent-decimal'],
  ['free_bytes / size_bytes * 100', 'percent'],
  ['count(a) / count(b)', 'percent-decimal'],
  ['rate(errors_total[5m]) / rate(requests_total[5m])', 'percent-decimal'],
  ['rate(wait_seconds_sum[5m]) / rate(wait_seconds_count[5m])', 'seconds'],
  ['sum(memory_bytes) / count(memory_bytes)', 'bytes'],
  ['memory_bytes / 1024', undefined],
  ['memory_bytes * 2', 'bytes'],
  ['1 + memory_bytes', 'bytes'],
  ['memory_bytes or vector(0)', 'bytes'],
  ['memory_bytes * cpu_seconds', undefined],
  ['a / b', undefined],
  ['2 ^ 3', undefined],
  // What is no expression yet.
  ['', undefined],
  ['sum(', undefined],
  ['memory_bytes +', undefined],
])('%s is in %s', (expr, unit) => {
  expect(guessUnit(expr, said)).toBe(unit)
  if (unit !== undefined) expect(Object.values(UNITS).flat()).toContain(unit)
})
