// One sentence that wears name after name while its dot moves along the score. Texts are set as text, never as HTML.
const kept = new WeakMap();
const PAUSE = 1600;
const LONG = 240; // letters that the large type has room for, with the line of scores beneath

export default function (component) {
  const box = component.parentElement.querySelector(".cycling");
  let view = kept.get(box);
  if (!view) {
    view = build(box);
    kept.set(box, view);
  }
  const source = JSON.stringify(component.data);
  if (view.source === source) return;
  view.source = source;
  view.data = component.data;
  view.at = component.data.scores.length - 1;
  lay(view);
  show(view);
  return () => clearInterval(view.timer);
}

function build(box) {
  const view = { playing: !matchMedia("(prefers-reduced-motion: reduce)").matches };
  const part = (kind, parent = box, tag = "div") => {
    const element = parent.appendChild(document.createElement(tag));
    element.className = kind;
    return element;
  };
  [view.said, view.score, view.track, view.button] = [part("said"), part("score"), part("track"), part("play", box, "button")];
  view.dot = part("dot", view.track);
  view.said.setAttribute("aria-live", "off");
  view.button.onclick = () => {
    view.playing = !view.playing;
    play(view);
  };
  play(view);
  return view;
}

function play(view) {
  clearInterval(view.timer);
  view.button.textContent = view.playing ? "Pause" : "Play";
  if (view.playing) view.timer = setInterval(() => step(view), PAUSE);
}

function step(view) {
  if (!view.said.isConnected) return clearInterval(view.timer);
  if (!view.data) return;
  view.at = (view.at + 1) % view.data.scores.length;
  show(view);
}

function place({ low, high }, score) {
  return (100 * (score - low)) / (high - low || 1);
}

function lay(view) {
  const { data, track, dot } = view;
  const letters = data.pieces.map((pieces) => pieces.reduce((sum, [, text]) => sum + text.length, 0));
  view.said.classList.toggle("long", Math.max(...letters) > LONG);
  const line = (kind, score, words) => {
    const mark = document.createElement("div");
    const at = place(data, score);
    mark.className = at > 60 ? `${kind} end` : kind; // its words on the left, where there is room
    mark.style.left = `${at}%`;
    if (words) mark.appendChild(document.createElement("span")).textContent = words;
    return mark;
  };
  track.replaceChildren(
    ...data.scores.map((score) => line("tick", score)),
    line("rule", data.original, "as it is"),
    line("rule cut", data.threshold, data.flagged),
    dot,
  );
}

function show(view) {
  const { data, at } = view;
  const score = data.scores[at];
  const reached = score >= data.threshold;
  view.said.replaceChildren(
    ...data.pieces[at].map(([kind, text]) => {
      const piece = document.createElement(kind === "come" ? "mark" : "span");
      piece.textContent = text;
      return piece;
    }),
  );
  view.score.textContent = `${data.written[at]} ${data.target}`;
  view.dot.style.left = `${place(data, score)}%`;
  view.dot.style.background = data.colours[reached ? 1 : 0];
  view.dot.style.borderRadius = reached ? "20%" : "50%";
}
