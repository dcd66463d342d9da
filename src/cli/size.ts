const MIB = 1024 * 1024;

/** Bytes for people: `1.5 GiB`, `12 MiB`. */
export function size(bytes: number): string {
  if (bytes >= 1024 * MIB) return `${(bytes / (1024 * MIB)).toFixed(1)} GiB`;
  if (bytes >= MIB) return `${Math.round(bytes / MIB)} MiB`;
  return `${Math.ceil(bytes / 1024)} KiB`;
}
