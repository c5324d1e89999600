/**
 * Metrics that this server derives from its facts (`src/fleet/derived-metrics.ts`; a test keeps the two equal).
 * One line per metric; `readMetricTable` reads it.
 */
export const FLEET_METRICS = `
daytwo_adoption_clusters gauge operator version
daytwo_approval_waiting_seconds gauge cluster operator from to unit=seconds
daytwo_cluster_configuration_change_seconds gauge cluster against change by unit=seconds
daytwo_cluster_configuration_differences gauge cluster against
daytwo_cluster_dead_end gauge cluster operator version
daytwo_cluster_deprecated gauge cluster operator subject name
daytwo_cluster_gone gauge cluster why
daytwo_cluster_hazard_seconds gauge cluster hazard accepted unit=seconds
daytwo_cluster_info gauge cluster flavour hco_version kubevirt_version platform platform_version channel approval region environment
daytwo_cluster_last_seen_seconds gauge cluster unit=seconds
daytwo_cluster_problem_seconds gauge cluster cause reason unit=seconds
daytwo_cluster_readiness gauge cluster target verdict
daytwo_cluster_silence_seconds gauge cluster cause unit=seconds
daytwo_edge_attempts gauge operator from to
daytwo_edge_success_ratio gauge operator from to unit=ratio
daytwo_edge_success_ratio_high gauge operator from to unit=ratio
daytwo_edge_success_ratio_low gauge operator from to unit=ratio
daytwo_json_patch_breaking gauge cluster component version to
daytwo_json_patch_findings gauge cluster component class
daytwo_out_of_band_modifications_total counter cluster component
daytwo_risk_acceptance_expires_seconds gauge cluster hazard unit=seconds
daytwo_rollout_clusters gauge operator version
daytwo_rollout_evidence_ratio gauge operator version signal unit=ratio
daytwo_rollout_verdict gauge operator version verdict
daytwo_unsafe_modifications gauge cluster component
daytwo_update_not_offered_seconds gauge cluster version offered unit=seconds
daytwo_upgrade_duration_seconds histogram operator from to unit=seconds
daytwo_upgrade_in_progress gauge cluster operator from to
daytwo_upgrade_phase_seconds gauge cluster operator from to phase unit=seconds
daytwo_upgrade_stuck gauge cluster operator from to phase cause
daytwo_upgrades_total counter operator from to outcome
daytwo_version_skew gauge cluster minor platform_minor
`
