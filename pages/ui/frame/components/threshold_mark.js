// The chosen threshold as a line through both panels of the figure, with its value: the figure is not drawn again.
const known = new WeakSet();
let mark = {};

export default function ({ data }) {
  mark = { data };
  place(mark, 100);
}

function place(mine, tries) {
  const plot = document.querySelector(mine.data.figure + " .js-plotly-plot");
  const panels = plot ? [...plot.querySelectorAll("rect.nsewdrag")].map(room) : [];
  if (mine !== mark) return; // told anew meanwhile
  if (!panels.length) {
    if (tries) setTimeout(() => place(mine, tries - 1), 100); // the figure comes later
    return;
  }
  if (!known.has(plot)) {
    known.add(plot);
    plot.on("plotly_afterplot", () => place(mark, 0));
  }
  const { low, high, threshold, words, colour } = mine.data;
  const [top, bottom] = [Math.min(...panels.map((p) => p.y)), Math.max(...panels.map((p) => p.y + p.height))];
  const x = panels[0].x + (panels[0].width * (threshold - low)) / (high - low);
  const box = plot.querySelector(".svg-container");
  const [line, note] = [part(box, "threshold-line"), part(box, "threshold-note")];
  line.style.cssText = `position: absolute; pointer-events: none; left: ${x - 1.25}px; top: ${top}px;
    height: ${bottom - top}px; border-left: 2.5px dashed ${colour}`;
  const isRight = x > panels[0].x + panels[0].width / 2;
  note.style.cssText = `position: absolute; pointer-events: none; top: ${top}px; font-size: 15px; white-space: nowrap;
    background: light-dark(#fcfbf8, #12171a);
    ${isRight ? `right: ${box.clientWidth - x + 6}px` : `left: ${x + 6}px`}`;
  note.textContent = words;
}

function room(panel) {
  return Object.fromEntries(["x", "y", "width", "height"].map((side) => [side, Number(panel.getAttribute(side))]));
}

function part(box, name) {
  const found = box.querySelector("." + name) ?? box.appendChild(document.createElement("div"));
  found.className = name;
  return found;
}
