// Shows instants in the reader's time zone. Without scripts they are in UTC.

const lang = document.documentElement.lang;
const written = new Intl.DateTimeFormat(lang === "en" ? "en-GB" : lang, {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short",
});

function show() {
  for (const time of document.querySelectorAll("time[datetime]:not([title])")) {
    time.title = time.textContent;
    time.textContent = written.format(new Date(time.dateTime));
  }
}

show();
document.addEventListener("htmx:after:swap", show);
