/**
 * What concerns the whole process: settings, proxies, networks, turns of the event loop, upkeep.
 */

export { hashApiKey } from './api-key-hash.ts';
export {
  credentialsOf,
  hasProxy,
  nameOfProxy,
  pointlessExemptions,
  proxyFor,
} from './egress.ts';
export { networksOf } from './networks.ts';
export { RefusalLog } from './refusal-log.ts';
export {
  botToken,
  either,
  plainAddress,
  proxyLocation,
  type SettingsReader,
  serverAddress,
  yesOrNo,
} from './settings.ts';
export { lowerThreadPriority } from './thread-priority.ts';
export { Turns } from './turns.ts';
export { Upkeep } from './upkeep.ts';
export { Watchdog } from './watchdog.ts';
