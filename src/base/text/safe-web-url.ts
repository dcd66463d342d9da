/** The URL with nothing in it but what RFC 3986 allows; undefined if it's not one of the web. */
export function safeWebUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  // No such host can be looked up.
  if (/[^\w\-.~!$&'()*+,;=%:[\]]/.test(url.host)) return undefined;
  // Browsers accept characters that RFC 3986 doesn't allow; Discord rejects the message.
  const rest = (url.pathname + url.search + url.hash)
    .replace(/%(?![0-9a-f]{2})/gi, '%25')
    .replace(/[^\w\-.~:/?@!$&'()*+,;=%#]|(?<=#.*)#/g, encodeURIComponent);
  return url.origin + rest;
}
