/**
 * A name's one form by ENSIP-15: lower case, composed, of one script, without invisible characters
 * and without words that look like another script's.
 * https://docs.ens.domains/ensip/15
 * @returns undefined for what can't be a name
 */
export async function normalizeEns(name: string): Promise<string | undefined> {
  // The tables take memory, which only name services need.
  const { normalize } = await import('viem/ens');
  try {
    const normal = normalize(name);
    return normal === '' || normal.startsWith('.') || normal.includes('..') ? undefined : normal;
  } catch {
    return undefined;
  }
}
