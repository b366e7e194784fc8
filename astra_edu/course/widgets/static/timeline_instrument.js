// An instrument with a timeline in it: scene.view is what the timeline draws. Before a prediction it isn't shown.

import { widgetOf } from "./frame/dom.js";
import { stubModel } from "./frame/stub.js";
import { InstrumentView } from "./instrument.js";
import { TimelineView } from "./timeline.js";

export class TimelineInstrumentView extends InstrumentView {
  showViews({ view }) {
    this.askOnTheRight();
    this.views.hidden = this.veiled;
    const data = this.stored(view);
    if (this.veiled || this.shown === data) return;
    this.shown = data;
    if (this.inner) return this.inner.set("data", data);
    this.inner = stubModel({ data, window: null, highlight: "" });
    this.timeline = new TimelineView(this.inner, this.views);
  }

  destroy() {
    this.timeline?.destroy();
    super.destroy();
  }
}

export default widgetOf(TimelineInstrumentView);
