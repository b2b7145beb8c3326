// A stroke a sentence, from its lowest to its highest name; the threshold glides to its place and colours what it cuts.
const GLIDE = 150;

export default function (component) {
  const view = pictureIn(component.parentElement.querySelector(".crossing"), build);
  view.data = component.data;
  view.canvas.setAttribute("aria-label", view.data.alt);
  glide(view);
}

function build(box) {
  const view = {};
  addCanvas(view, box, "img");
  window.addEventListener("psa-threshold", () => glide(view));
  return view;
}

function glide(view) {
  const to = window.psaThreshold?.threshold;
  if (to === undefined) return; // told by a component of its own, which may come later
  const [from, began] = [view.at ?? to, performance.now()];
  cancelAnimationFrame(view.frame);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const step = (now) => {
    const part = still ? 1 : Math.min(1, (now - began) / GLIDE);
    view.at = from + (to - from) * part;
    draw(view);
    if (part < 1) view.frame = requestAnimationFrame(step);
  };
  step(began);
}

function draw(view) {
  const { canvas, data, at } = view;
  const { pen, scale, ink } = sharpPen(view);
  if (!pen) return;
  const [left, right, top, bottom] = [(data.unit ? 60 : 46) * scale, canvas.width - 4 * scale, 8 * scale, canvas.height - 8 * scale];
  const y = (score) => bottom - ((score - data.bottom) / (data.top - data.bottom)) * (bottom - top);
  const step = (right - left) / data.low.length;
  data.low.forEach((low, place) => {
    const x = left + (place + 0.5) * step;
    const crossed = low < at && data.high[place] >= at;
    pen.strokeStyle = crossed ? data.colour : data.muted;
    pen.globalAlpha = crossed ? 1 : 0.55;
    pen.lineWidth = Math.max(1, Math.min(6 * scale, step * 0.6));
    pen.beginPath();
    pen.moveTo(x, Math.max(y(low), y(data.high[place]) + scale));
    pen.lineTo(x, y(data.high[place]));
    pen.stroke();
    pen.globalAlpha = 1;
    pen.fillStyle = ink;
    pen.fillRect(x - Math.max(1, step * 0.4), y(data.original[place]) - scale, Math.max(2, step * 0.8), 2 * scale);
  });
  pen.fillStyle = pen.strokeStyle = ink;
  pen.font = `${14 * scale}px sans-serif`;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const tick of [data.top, (data.top + data.bottom) / 2, data.bottom]) {
    pen.fillText(String(Number(tick.toPrecision(3))).replace("-", "−") + data.unit, left - 8 * scale, y(tick));
  }
  pen.setLineDash([7 * scale, 5 * scale]);
  pen.lineWidth = 2 * scale;
  pen.beginPath();
  pen.moveTo(left, y(at));
  pen.lineTo(right, y(at));
  pen.stroke();
}
