import type { Config } from '#app/config';
import { type Finding, warn } from '#runtime/finding';

/** Fathom itself speaks plain HTTP, so what is reached over https has a proxy in front. */
export function checkProxy({ publicUrl, trustProxy }: Config): Finding[] {
  if (publicUrl?.startsWith('https:') !== true || trustProxy.length > 0) return [];
  const text = `TRUST_PROXY is not set: behind the proxy that serves ${publicUrl} all callers look like one and share its limits. Set it to the network of the proxy.`;
  return [warn('proxy', text)];
}
