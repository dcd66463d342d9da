/** A fraction as a width of SVG: `45.2%`. */
export function percentX(fraction: number): string {
  return `${Math.round(Math.min(1, Math.max(0, fraction)) * 1000) / 10}%`;
}
