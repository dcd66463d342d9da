/**
 * ⌊points · 2^(−days / halfLife)⌋, exact.
 * @param points from 0 to 2^53 − 1
 * @param days whole days since the points were given, from 0
 * @param halfLife whole days, from 1
 */
export function remaining(points: number, days: number, halfLife: number): number {
  if (points === 0 || days === 0) return points;
  const whole = Math.floor(days / halfLife);
  if (whole > 53) return 0;
  if (days % halfLife === 0) return Number(BigInt(points) >> BigInt(whole));
  const estimate = points * 2 ** (-days / halfLife);
  const near = Math.round(estimate);
  // The estimate is accurate to some 15 digits. Only results that close to an integer need more,
  // and are off by a few at most.
  if (Math.abs(estimate - near) > estimate * 1e-12 + 1e-9) return Math.floor(estimate);
  let left = near;
  while (!reaches(points, days, halfLife, left)) left -= 1;
  while (reaches(points, days, halfLife, left + 1)) left += 1;
  return left;
}

/** Whether points · 2^(−days / halfLife) ≥ least, in integers: points^h ≥ least^h · 2^d. */
function reaches(points: number, days: number, halfLife: number, least: number): boolean {
  if (least <= 0) return true;
  const divisor = greatestDivisor(days, halfLife);
  const power = BigInt(halfLife / divisor);
  return BigInt(points) ** power >= (BigInt(least) ** power) << BigInt(days / divisor);
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other);
}
