import type { Config } from '#app';
import { type CheckFinding, warn } from '#base';

/** Fathom itself speaks plain HTTP, so an https URL implies a proxy in front. */
export function checkProxy({ publicUrl, trustProxy }: Config): CheckFinding[] {
  if (publicUrl?.startsWith('https:') !== true || trustProxy.length > 0) return [];
  const text = `TRUST_PROXY is not set: behind the proxy at ${publicUrl}, all clients look like one and share its rate limit. Set it to the proxy's network.`;
  return [warn('proxy', text)];
}
