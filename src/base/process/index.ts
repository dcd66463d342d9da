/**
 * What concerns the whole process: settings, proxies, networks, turns of the event loop, upkeep.
 */

export { hashApiKey } from './api-key-hash.ts';
export { trustExtraAuthorities } from './authorities.ts';
export {
  credentialsOf,
  hasProxy,
  nameOfProxy,
  networksOf,
  pointlessExemptions,
  proxyFor,
  unusedExemptions,
} from './egress.ts';
export { flushFolder } from './flush-folder.ts';
export { exhaustedCode, outOfFiles, whyNoMoreFiles } from './open-files.ts';
export { RefusalLog } from './refusal-log.ts';
export {
  botToken,
  either,
  isOneUrl,
  plainAddress,
  proxyLocation,
  type SettingsReader,
  serverAddress,
  yesOrNo,
} from './settings.ts';
export { statIfThere } from './stat-if-there.ts';
export { systemCodeOf } from './system-code.ts';
export { endThread, lowerThreadPriority, Watchdog } from './threads.ts';
export { Turns, Upkeep } from './upkeep.ts';
