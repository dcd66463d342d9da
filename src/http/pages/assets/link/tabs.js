/** Tabs of one browser share a link, and only the most recent text of a link is valid. */
const tabs =
  typeof BroadcastChannel === 'function' ? new BroadcastChannel('fathom-link') : undefined;

/** Tells the other tabs which text this one got. */
export function tellTabs(owner, text) {
  tabs?.postMessage({ owner, text });
}

/** @param {(owner: string, text: string) => void} listener called when another tab got a text */
export function hearTabs(listener) {
  tabs?.addEventListener('message', ({ data }) => listener(data.owner, data.text));
}
