// The style of the page. It is the first module: the stage reads its colours.

// The build puts the text of style.css here; the page itself has start.css.
const sheet = new CSSStyleSheet();
sheet.replaceSync(STYLE);
document.adoptedStyleSheets = [sheet];
