/** Escapes text for an element or a double-quoted attribute, and drops characters that XML doesn't allow. */
export function escapeXml(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML doesn't allow.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
  );
}

/** A number with at most two decimals. */
export function coordinate(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** The href of an `image` element that embeds the picture, so that nothing is fetched to show it. */
export function dataUri(png: Uint8Array): string {
  return `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
}
