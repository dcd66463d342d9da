/**
 * Normalizes a name by ENSIP-15: lower case, composed, of one script, without invisible or confusable
 * characters. https://docs.ens.domains/ensip/15
 * @returns undefined if it can't be a name
 */
export async function normalizeEns(name: string): Promise<string | undefined> {
  // Loaded on demand: its tables take memory.
  const { normalize } = await import('viem/ens');
  try {
    const normal = normalize(name);
    return normal === '' || normal.startsWith('.') || normal.includes('..') ? undefined : normal;
  } catch {
    return undefined;
  }
}
