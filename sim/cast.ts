import type { Role } from './cluster-plan.ts'

/**
 * Who plays what in the default fleet. Of each block of 200 clusters these have a role; the others are healthy, with
 * their own small stories. The roles stand early, so that a fleet of twelve has something to show too.
 */
const BLOCK = 200
const CAST: ReadonlyMap<number, Role> = new Map([
  [1, 'edited'],
  [2, 'image_outdated'],
  [3, 'stuck_olm'],
  [4, 'upgrading'],
  [5, 'fought'],
  [6, 'volume_filling'],
  [7, 'unsafe'],
  [8, 'silent'],
  [9, 'unhealthy'],
  [10, 'ssp_failing'],
  [11, 'descheduler_after_upgrade'],
  [12, 'mac_collision'],
  [13, 'missing'],
  [14, 'stuck_unknown'],
  [15, 'stuck_canary'],
  [16, 'skewed'],
  [17, 'golden_no_arch'],
  [19, 'unsafe_twice'],
  [21, 'silent_with_markers'],
  [23, 'descheduler'],
  [25, 'golden_no_annotation'],
  [27, 'multi_arch_disabled'],
  [29, 'rest_errors'],
  [31, 'not_evictable'],
  [33, 'guests'],
  [35, 'stuck_machines'],
  [37, 'ping_pong'],
  [39, 'outdated'],
  [41, 'api_down'],
])

export function roleOf(index: number): Role {
  return CAST.get(index % BLOCK) ?? 'healthy'
}
