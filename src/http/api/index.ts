/** The server: `/v1`, its docs, health and metrics. */

export { clientName, trustProxies } from './admission/client-address.ts';
export { Metrics, startMetricsServer } from './server/metrics.ts';
export { startApi } from './server/server.ts';
