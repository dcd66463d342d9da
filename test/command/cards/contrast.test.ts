import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  contrastOf,
  hasContrast,
  hexColourOf,
  luminanceOf,
  nearestWithContrast,
  rgbOf,
} from '#command/cards/colours';

const anyColour = fc.integer({ min: 0, max: 0xffffff });

describe('contrast', () => {
  it('is that of WCAG', () => {
    expect(contrastOf(0x000000, 0xffffff)).toBe(21);
    expect(contrastOf(0x777777, 0xffffff)).toBeCloseTo(4.48, 2);
    expect(contrastOf(0xff0000, 0xffffff)).toBeCloseTo(4, 2);
    expect(luminanceOf(0x808080)).toBeCloseTo(0.2159, 4);
  });

  it('is the same both ways, and least of a colour with itself', () => {
    fc.assert(
      fc.property(anyColour, anyColour, (a, b) => {
        expect(contrastOf(a, b)).toBe(contrastOf(b, a));
        expect(contrastOf(a, b)).toBeGreaterThanOrEqual(contrastOf(a, a));
      }),
    );
  });
});

describe('the nearest colour that stands out', () => {
  it('stands out from all grounds, whatever they are, or there is none', () => {
    fc.assert(
      fc.property(
        anyColour,
        fc.array(anyColour, { minLength: 1, maxLength: 3 }),
        (colour, grounds) => {
          const found = nearestWithContrast(colour, grounds);
          if (found !== undefined) return hasContrast(found, grounds);
          // Then not even greys do.
          for (let grey = 0; grey < 256; grey++) {
            if (isFarFromAll(grey * 0x010101, grounds)) return false;
          }
          return true;
        },
      ),
    );
  });

  it('is the colour itself where that does', () => {
    fc.assert(
      fc.property(anyColour, (colour) => {
        fc.pre(hasContrast(colour, [0xffffff]));
        return nearestWithContrast(colour, [0xffffff]) === colour;
      }),
    );
  });

  it.each([
    ['yellow', 0xffd700],
    ['blue', 0x0000ff],
    ['pink', 0xff69b4],
  ])('keeps the hue of %s', (_, colour) => {
    const found = nearestWithContrast(colour, [0x313338, 0xffffff]) ?? 0;
    expect(Math.abs(hueOf(found) - hueOf(colour))).toBeLessThan(20);
  });
});

it('Colours are written as #rrggbb', () => {
  fc.assert(fc.property(anyColour, (colour) => rgbOf(hexColourOf(colour)) === colour));
  expect(hexColourOf(0xff)).toBe('#0000ff');
});

/** Clearly, so that a step of lightness can't miss it. */
function isFarFromAll(colour: number, grounds: readonly number[]): boolean {
  return grounds.every((ground) => contrastOf(colour, ground) >= 3.2);
}

/** In degrees, as HSL has it. */
function hueOf(colour: number): number {
  const [r = 0, g = 0, b = 0] = [16, 8, 0].map((shift) => (colour >> shift) & 255);
  const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
  const span = most - least;
  if (most === r) return (((g - b) / span + 6) % 6) * 60;
  return most === g ? ((b - r) / span + 2) * 60 : ((r - g) / span + 4) * 60;
}
