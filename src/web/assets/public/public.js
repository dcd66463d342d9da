/** What pages do better with a script: colours, and buttons that copy. */

const YEAR = 31_536_000;
/** Milliseconds for which a button says what came of it. */
const SAID_MS = 2_000;

document.getElementById('theme')?.addEventListener('change', (event) => {
  const { value } = event.target;
  document.documentElement.dataset.theme = value;
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is not in every browser, nor over plain HTTP.
  document.cookie = `fathom_theme=${value}; Path=/; Max-Age=${YEAR}; SameSite=Lax`;
});

for (const button of document.querySelectorAll('[data-copy]')) {
  const label = button.textContent;
  let said;
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    const { copy, done, failed } = button.dataset;
    try {
      await navigator.clipboard.writeText(copy);
      button.textContent = done;
    } catch {
      // Over plain HTTP, or if the browser forbids it.
      button.textContent = failed;
    }
    clearTimeout(said);
    said = setTimeout(() => {
      button.textContent = label;
    }, SAID_MS);
  });
}
