/** A fraction as an SVG percentage: `45.2%`. */
export function percentX(fraction: number): string {
  return `${Math.round(Math.min(1, Math.max(0, fraction)) * 1000) / 10}%`;
}
