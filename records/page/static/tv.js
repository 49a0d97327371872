// Live tables on one page.

const RENEW_MS = 15000;
// How many steps of a table are kept for its strip of events.
const MOST_FRAMES = 60;

/** Running matches over one stream, because browsers allow six connections to a host. */
class KozyrTv extends HTMLElement {
  connectedCallback() {
    if (this.shared) return;
    this.shared = JSON.parse(this.dataset.words);
    if (this.dataset.stream && "EventSource" in window) {
      this.stream = new EventSource(this.dataset.stream);
      this.stream.addEventListener("message", (event) => this.take(JSON.parse(event.data)));
    }
    this.timer = setInterval(() => (document.hidden ? null : this.renew()), RENEW_MS);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
    this.stream?.close();
  }

  take({ match, frame }) {
    const table = this.querySelector(`[data-match="${match}"] kozyr-table`);
    if (!table?.frames) return;
    const old = Math.max(0, table.frames.list.length - MOST_FRAMES);
    table.frames.list.splice(0, old);
    table.shown -= old;
    table.take([frame]);
    table.go(table.frames.list.length - 1, { quiet: true });
  }

  /** Show the matches that run now. Those that go on keep their tables. */
  async renew() {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
    if (!answer?.ok || !this.isConnected) return;
    const found = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("kozyr-tv");
    const ids = (tv) => [...tv.querySelectorAll("[data-match]")].map((each) => each.dataset.match).sort().join();
    if (!found) this.remove();
    else if (ids(found) !== ids(this)) this.replaceWith(document.importNode(found, true));
  }
}

customElements.define("kozyr-tv", KozyrTv);
