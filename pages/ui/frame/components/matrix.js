// All cells of a study as one picture: drawn once as S × N pixels, then scaled. Texts are set as text, never as HTML.

export default function (component) {
  const { parentElement, data, setTriggerValue } = component;
  const view = pictureIn(parentElement.querySelector(".matrix"), build);
  view.choose = (row, column) => {
    // The picture answers at once; the page follows.
    view.chosen = { row, columns: [...new Set([...view.chosen.columns, column])] };
    draw(view);
    view.where.textContent = words(view, { row, column }).join(" · ");
    setTriggerValue("cell", { row, column });
  };
  view.chosen = window.psaMatrix || view.chosen;
  if (view.source !== data.cells) paint(view, data);
  view.data = data;
  view.key.replaceChildren(data.ends[0], legend(data), data.ends[1]);
  if (!view.where.textContent) view.where.textContent = data.hint;
  draw(view);
}

function build(box) {
  const view = { cursor: { row: 0, column: 0 }, area: { x: 0, y: 0, w: 1, h: 1 }, chosen: { row: -1, columns: [] } };
  window.addEventListener("psa-matrix", () => {
    view.chosen = window.psaMatrix;
    draw(view);
  });
  const tools = box.appendChild(document.createElement("div"));
  tools.className = "tools";
  for (const [label, title, zoom] of [["+", "Zoom in", 0.6], ["−", "Zoom out", 1 / 0.6], ["All", "Show all cells", 0]]) {
    const button = tools.appendChild(document.createElement("button"));
    button.textContent = label;
    button.title = title;
    button.setAttribute("aria-label", title);
    button.onclick = () => magnify(view, zoom, 0.5, 0.5);
  }
  view.key = tools.appendChild(document.createElement("span"));
  view.key.className = "key";
  view.where = tools.appendChild(document.createElement("span"));
  view.where.className = "where";
  view.where.setAttribute("role", "status");
  view.head = box.appendChild(document.createElement("canvas"));
  view.head.className = "head";
  view.head.setAttribute("aria-hidden", "true");
  addCanvas(view, box, "application");
  view.canvas.tabIndex = 0;
  view.canvas.setAttribute("aria-label", "Sentences by names; arrow keys move, Enter selects, plus and minus zoom");
  view.tip = box.appendChild(document.createElement("div"));
  view.tip.className = "tip";
  listen(view);
  return view;
}

function legend({ down, up }) {
  const bar = document.createElement("i");
  bar.style.background = `linear-gradient(to right, ${down}, transparent, ${up})`;
  return bar;
}

function paint(view, data) {
  const bytes = Uint8Array.from(atob(data.cells), (letter) => letter.charCodeAt(0));
  view.cells = new Int16Array(bytes.buffer);
  view.columns = data.names.length;
  view.rows = data.texts.length;
  view.source = data.cells;
  view.area = { x: 0, y: 0, w: view.columns, h: view.rows };
  const colours = [data.down, data.up].map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
  const picture = new ImageData(view.columns, view.rows);
  view.cells.forEach((cell, at) => {
    const [red, green, blue] = colours[cell > 0 ? 1 : 0];
    const strength = Math.min(1, (Math.abs(cell) * data.unit) / data.limit);
    picture.data.set([red, green, blue, Math.round(255 * strength)], 4 * at);
  });
  view.picture = document.createElement("canvas");
  view.picture.width = view.columns;
  view.picture.height = view.rows;
  view.picture.getContext("2d").putImageData(picture, 0, 0);
}

function draw(view) {
  const { canvas, area, data } = view;
  const { pen, scale, ink } = sharpPen(view);
  if (!pen) return;
  pen.imageSmoothingEnabled = area.h > canvas.height; // a row of its own pixels has sharp edges
  pen.drawImage(view.picture, area.x, area.y, area.w, area.h, 0, 0, canvas.width, canvas.height);
  const across = (column) => ((column - area.x) / area.w) * canvas.width;
  const down = (row) => ((row - area.y) / area.h) * canvas.height;
  pen.fillStyle = ink;
  pen.globalAlpha = 0.45;
  for (const edge of data.edges) pen.fillRect(across(edge) - scale / 2, 0, scale, canvas.height);
  pen.globalAlpha = 1;
  pen.strokeStyle = ink;
  pen.lineWidth = 2 * scale;
  for (const column of view.chosen.columns) {
    pen.strokeRect(across(column), -9, Math.max(2 * scale, across(column + 1) - across(column)), canvas.height + 18);
  }
  const row = view.chosen.row;
  if (row >= 0) pen.strokeRect(-9, down(row), canvas.width + 18, Math.max(2 * scale, down(row + 1) - down(row)));
  if (view.keyboard) {
    const { row, column } = view.cursor;
    pen.setLineDash([4 * scale, 3 * scale]);
    pen.strokeRect(across(column) - 3, down(row) - 3, across(column + 1) - across(column) + 6, down(row + 1) - down(row) + 6);
  }
  names(view, scale, ink);
}

// Above the cells, from one baseline; where columns are narrow, every other one, or fewer.
function names({ head, area, data, columns, chosen }, scale, ink) {
  head.width = Math.round(head.clientWidth * scale);
  head.height = Math.round(head.clientHeight * scale);
  const pen = head.getContext("2d");
  const wide = head.width / area.w;
  const step = Math.max(1, Math.ceil((14 * scale) / wide));
  pen.fillStyle = ink;
  pen.textBaseline = "middle";
  for (let column = Math.floor(area.x); column < Math.min(area.x + area.w, columns); column += step) {
    const name = data.names[column];
    pen.font = `${chosen.columns.includes(column) ? "bold " : ""}${12 * scale}px sans-serif`;
    pen.save();
    pen.translate((column + 0.5 - area.x) * wide, head.height - 4 * scale);
    pen.rotate(-Math.PI / 2);
    pen.fillText(name.length > 19 ? `${name.slice(0, 18)}…` : name, 0, 0);
    pen.restore();
  }
}

function cell(view, event) {
  const frame = view.canvas.getBoundingClientRect();
  const column = Math.floor(view.area.x + ((event.clientX - frame.left) / frame.width) * view.area.w);
  const row = Math.floor(view.area.y + ((event.clientY - frame.top) / frame.height) * view.area.h);
  const inside = column >= 0 && row >= 0 && column < view.columns && row < view.rows;
  return inside ? { row, column } : null;
}

function magnify(view, factor, x, y) {
  const { area } = view;
  const clamp = (size, most) => Math.min(most, Math.max(Math.min(4, most), size));
  const w = factor ? clamp(area.w * factor, view.columns) : view.columns;
  const h = factor ? clamp(area.h * factor, view.rows) : view.rows;
  place(view, area.x + (area.w - w) * x, area.y + (area.h - h) * y, w, h);
}

function place(view, x, y, w, h) {
  const within = (at, size, most) => Math.min(Math.max(0, at), most - size);
  view.area = { x: within(x, w, view.columns), y: within(y, h, view.rows), w, h };
  draw(view);
}

function words(view, { row, column }) {
  const value = view.cells[row * view.columns + column] * view.data.unit;
  const number = `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(view.data.digits)}`;
  return [`${view.data.names[column]}  ${number}`, view.data.texts[row]];
}

function tell(view, at, event) {
  const [head, text] = words(view, at);
  const bold = document.createElement("b");
  bold.textContent = head;
  view.tip.replaceChildren(bold, document.createTextNode(text));
  view.tip.style.display = "block";
  const frame = view.canvas.getBoundingClientRect();
  const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
  view.tip.style.left = `${Math.min(Math.max(0, x + 14), Math.max(0, frame.width - view.tip.offsetWidth))}px`;
  const below = y + 60 + view.tip.offsetHeight < frame.height;
  view.tip.style.top = `${view.canvas.offsetTop + (below ? y + 18 : y - view.tip.offsetHeight - 12)}px`;
}

function listen(view) {
  const { canvas } = view;
  let held = null;
  canvas.onpointerdown = (event) => {
    held = { x: event.clientX, y: event.clientY, area: view.area, moved: false };
    canvas.setPointerCapture(event.pointerId);
  };
  canvas.onpointermove = (event) => {
    if (held && Math.hypot(event.clientX - held.x, event.clientY - held.y) > 4) held.moved = true;
    if (held && held.moved) {
      const { x, y, w, h } = held.area;
      const [dx, dy] = [(event.clientX - held.x) / canvas.clientWidth, (event.clientY - held.y) / canvas.clientHeight];
      view.tip.style.display = "none";
      place(view, x - dx * w, y - dy * h, w, h);
      return;
    }
    const at = cell(view, event);
    if (at) tell(view, at, event);
  };
  canvas.onpointerup = (event) => {
    const at = cell(view, event);
    if (held && !held.moved && at) view.choose(at.row, at.column);
    held = null;
  };
  canvas.onpointerleave = () => (view.tip.style.display = "none");
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const frame = canvas.getBoundingClientRect();
    const at = [(event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height];
    magnify(view, event.deltaY > 0 ? 1.25 : 0.8, ...at);
  }, { passive: false });
  canvas.onkeydown = (event) => {
    const { cursor } = view;
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (step) {
      cursor.row = Math.min(view.rows - 1, Math.max(0, cursor.row + step[0]));
      cursor.column = Math.min(view.columns - 1, Math.max(0, cursor.column + step[1]));
      view.keyboard = true;
      follow(view);
    } else if (event.key === "Enter") view.choose(cursor.row, cursor.column);
    else if (event.key === "+" || event.key === "-") magnify(view, event.key === "+" ? 0.6 : 1 / 0.6, 0.5, 0.5);
    else return;
    event.preventDefault();
    view.where.textContent = words(view, cursor).join(" · ");
  };
}

function follow(view) {
  const { area, cursor } = view;
  const near = (at, from, size) => (at < from ? at : at + 1 > from + size ? at + 1 - size : from);
  place(view, near(cursor.column, area.x, area.w), near(cursor.row, area.y, area.h), area.w, area.h);
}
