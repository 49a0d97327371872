// A button beside each text that people copy: the element that `data-copy` names, or the address of the page.

const SAID_MS = 2000;

for (const button of document.querySelectorAll("button[data-copy]")) {
  const label = button.textContent;
  button.hidden = !navigator.clipboard; // missing where the page does not come over HTTPS or from this machine
  button.addEventListener("click", async () => {
    const { copy, done } = button.dataset;
    await navigator.clipboard.writeText(copy ? document.getElementById(copy).textContent : location.href);
    button.textContent = done;
    setTimeout(() => { button.textContent = label; }, SAID_MS);
  });
}
