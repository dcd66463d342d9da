/** The tags of an `Accept-Language` header (RFC 9110, 12.5.4), most wanted first. */
export function acceptedLanguages(header: string): string[] {
  return header
    .slice(0, 200)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';');
      const quality = /q=([\d.]+)/.exec(parameters.join(';'))?.[1];
      return { tag: tag.trim(), quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
}
