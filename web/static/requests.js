// The requests of a watched bot: the table is not replaced while its owner reads a body in it, or is about to with keys.

function wait(event) {
  const table = event.target;
  if (table.id === "requests" && table.querySelector("details[open], summary:focus-visible")) event.preventDefault();
}

document.addEventListener("htmx:before:request", wait);
document.addEventListener("htmx:before:swap", wait);
