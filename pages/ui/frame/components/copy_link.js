export default ({ parentElement }) => {
  const button = parentElement.querySelector("button");
  button.onclick = async () => {
    try { await navigator.clipboard.writeText(window.location.href); }
    catch {  // without https a browser has no clipboard for pages, but the old way
      const field = document.createElement("textarea");
      field.value = window.location.href;
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
    button.textContent = "Link copied";
    setTimeout(() => { button.textContent = "Copy link"; }, 2000);
  };
};
