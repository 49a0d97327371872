// The requests of a watched bot: the table is not replaced while its owner reads a body in it.

document.addEventListener("htmx:before:request", (event) => {
  const table = event.target;
  if (table.id === "requests" && table.querySelector("details[open], summary:focus")) event.preventDefault();
});
