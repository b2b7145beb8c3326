// What pictures on a canvas share: made once for a box, sharp at any density of pixels, drawn again at another size.
const kept = new WeakMap();

function pictureIn(box, build) {
  if (!kept.has(box)) kept.set(box, build(box));
  return kept.get(box);
}

function addCanvas(view, box, role) {
  view.canvas = box.appendChild(document.createElement("canvas"));
  view.canvas.setAttribute("role", role);
  new ResizeObserver(() => draw(view)).observe(view.canvas);
}

function sharpPen({ canvas, data }) {
  if (!data || !canvas.clientWidth) return {};
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(canvas.clientWidth * scale);
  canvas.height = Math.round(canvas.clientHeight * scale);
  return { pen: canvas.getContext("2d"), scale, ink: getComputedStyle(canvas).color };
}

