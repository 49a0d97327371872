// Draws the rating curve of a bot with uPlot. The table below it has the same figures.
"use strict";

(() => {
  const place = document.getElementById("curve");
  const points = JSON.parse(place.dataset.points);
  if (points.length < 2) return;
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const column = (index) => points.map((point) => point[index]);
  // Some groups end in the same second, and a chart needs ascending times.
  const times = [];
  for (const [at] of points) times.push(Math.max(at, (times.at(-1) ?? 0) + 0.001));
  const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") } };
  const day = new Intl.DateTimeFormat(document.documentElement.lang, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const versions = {
    // A line where the version changes.
    hooks: {
      draw: (chart) => {
        const { ctx, bbox } = chart;
        ctx.save();
        ctx.strokeStyle = colour("--quiet");
        ctx.setLineDash([4, 4]);
        for (let index = 1; index < points.length; index++) {
          if (points[index][4] === points[index - 1][4]) continue;
          const x = chart.valToPos(times[index], "x", true);
          ctx.beginPath();
          ctx.moveTo(x, bbox.top);
          ctx.lineTo(x, bbox.top + bbox.height);
          ctx.stroke();
        }
        ctx.restore();
      },
    },
  };
  const options = {
    width: place.clientWidth,
    height: 280,
    padding: [null, 50, null, null], // room for the last date
    plugins: [versions],
    axes: [{ ...axis, space: 110, values: (_, splits) => splits.map((at) => day.format(at * 1000)) }, axis],
    bands: [{ series: [3, 2], fill: colour("--band") }],
    series: [
      { label: place.dataset.time, value: (_, at) => (at == null ? "–" : day.format(at * 1000)) },
      { label: place.dataset.rating, stroke: colour("--accent"), width: 2, points: { show: false } },
      { label: place.dataset.low, stroke: "transparent", points: { show: false } },
      { label: place.dataset.high, stroke: "transparent", points: { show: false } },
    ],
  };
  const chart = new uPlot(options, [times, column(1), column(2), column(3)], place);
  addEventListener("resize", () => chart.setSize({ width: place.clientWidth, height: options.height }));
})();
