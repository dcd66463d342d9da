/** The server: `/v1`, its docs, health and metrics. */

export { clientName, trustProxies } from './client-address.ts';
export { Metrics } from './metrics.ts';
export { startMetricsServer } from './metrics-server.ts';
export { startApi } from './server.ts';
