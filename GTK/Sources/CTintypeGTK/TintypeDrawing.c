#include "TintypeDrawing.h"
#include <math.h>

static graphene_rect_t rectangle(double x, double y, double width, double height) {
    return GRAPHENE_RECT_INIT((float)x, (float)y, (float)width, (float)height);
}

static void translate(GtkSnapshot *snapshot, double x, double y) {
    gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)x, (float)y));
}

void tintype_draw_content(GtkSnapshot *snapshot, const TintypeContent *content, double width, double height) {
    if (!content->paintable) return;
    double ratio = gdk_paintable_get_intrinsic_aspect_ratio(content->paintable);
    if (content->fit == TINTYPE_FIT_FILL || ratio <= 0 || width <= 0 || height <= 0) {
        gdk_paintable_snapshot(content->paintable, GDK_SNAPSHOT(snapshot), width, height);
        return;
    }
    gboolean is_wider = ratio > width / height;
    double w, h;
    if (is_wider == (content->fit != TINTYPE_FIT_COVER)) {
        w = width;
        h = width / ratio;
    } else {
        w = height * ratio;
        h = height;
    }
    int natural = content->width > 0 ? content->width : gdk_paintable_get_intrinsic_width(content->paintable);
    if (content->fit == TINTYPE_FIT_SCALE_DOWN && natural > 0 && natural < w) {
        w = natural;
        h = natural / ratio;
    }
    // Contents of almost the same shape fill the area: a hairline of background is worse than half a pixel of stretching.
    if (fabs(w - width) < 1) w = width;
    if (fabs(h - height) < 1) h = height;
    gboolean is_clipped = w > width || h > height;
    if (is_clipped) gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
    gtk_snapshot_save(snapshot);
    translate(snapshot, (width - w) / 2, (height - h) / 2);
    gdk_paintable_snapshot(content->paintable, GDK_SNAPSHOT(snapshot), w, h);
    gtk_snapshot_restore(snapshot);
    if (is_clipped) gtk_snapshot_pop(snapshot);
}

static void draw_at(GtkSnapshot *snapshot, const TintypeContent *content, double x, double y, double width, double height) {
    gtk_snapshot_save(snapshot);
    translate(snapshot, x, y);
    tintype_draw_content(snapshot, content, width, height);
    gtk_snapshot_restore(snapshot);
}

static void draw_scaled(GtkSnapshot *snapshot, const TintypeContent *content, double sx, double sy, double width,
                        double height) {
    gtk_snapshot_save(snapshot);
    translate(snapshot, width * (1 - sx) / 2, height * (1 - sy) / 2);
    gtk_snapshot_scale(snapshot, (float)sx, (float)sy);
    tintype_draw_content(snapshot, content, width, height);
    gtk_snapshot_restore(snapshot);
}

static void draw_clipped(GtkSnapshot *snapshot, const TintypeContent *content, double x, double clip_width, double width,
                         double height) {
    if (clip_width <= 0) return;
    graphene_rect_t clip = rectangle(x, 0, clip_width, height);
    gtk_snapshot_push_clip(snapshot, &clip);
    tintype_draw_content(snapshot, content, width, height);
    gtk_snapshot_pop(snapshot);
}

static void draw_slide(GtkSnapshot *snapshot, double dx, double dy, double progress, const TintypeContent *before,
                       const TintypeContent *after, double width, double height) {
    gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
    draw_at(snapshot, before, dx * progress * width, dy * progress * height, width, height);
    draw_at(snapshot, after, -dx * (1 - progress) * width, -dy * (1 - progress) * height, width, height);
    gtk_snapshot_pop(snapshot);
}

// GSK's software renderer mixes in surfaces as large as all that it redraws at once: for 500 images that fade together, 1,000
// surfaces as large as the window. Inside a clip they are as large as the image. gtk_snapshot_push_clip would not do: it
// leaves out clips that cut nothing off.
static void draw_cross_fade(GtkSnapshot *snapshot, double progress, const TintypeContent *before,
                            const TintypeContent *after, double width, double height) {
    GtkSnapshot *own = gtk_snapshot_new();
    // Not the new one over the old one: a transparent image would let the old one shine through to the end.
    gtk_snapshot_push_cross_fade(own, progress);
    tintype_draw_content(own, before, width, height);
    gtk_snapshot_pop(own);
    tintype_draw_content(own, after, width, height);
    gtk_snapshot_pop(own);
    GskRenderNode *mixed = gtk_snapshot_free_to_node(own);
    if (!mixed) return;
    GskRenderNode *clipped = gsk_clip_node_new(mixed, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
    gtk_snapshot_append_node(snapshot, clipped);
    gsk_render_node_unref(clipped);
    gsk_render_node_unref(mixed);
}

void tintype_draw_transition(GtkSnapshot *snapshot, TintypeTransition transition, double progress,
                             const TintypeContent *before, const TintypeContent *after, double width, double height) {
    switch (transition) {
    case TINTYPE_TRANSITION_NONE:
        tintype_draw_content(snapshot, after, width, height);
        break;
    case TINTYPE_TRANSITION_CROSS_FADE:
        draw_cross_fade(snapshot, progress, before, after, width, height);
        break;
    case TINTYPE_TRANSITION_SLIDE_LEFT:
        draw_slide(snapshot, -1, 0, progress, before, after, width, height);
        break;
    case TINTYPE_TRANSITION_SLIDE_RIGHT:
        draw_slide(snapshot, 1, 0, progress, before, after, width, height);
        break;
    case TINTYPE_TRANSITION_SLIDE_UP:
        draw_slide(snapshot, 0, -1, progress, before, after, width, height);
        break;
    case TINTYPE_TRANSITION_SLIDE_DOWN:
        draw_slide(snapshot, 0, 1, progress, before, after, width, height);
        break;
    case TINTYPE_TRANSITION_REVEAL:
        draw_clipped(snapshot, before, progress * width, (1 - progress) * width, width, height);
        draw_clipped(snapshot, after, 0, progress * width, width, height);
        break;
    case TINTYPE_TRANSITION_ZOOM:
        gtk_snapshot_push_opacity(snapshot, 1 - progress);
        tintype_draw_content(snapshot, before, width, height);
        gtk_snapshot_pop(snapshot);
        gtk_snapshot_push_opacity(snapshot, progress);
        draw_scaled(snapshot, after, 0.8 + 0.2 * progress, 0.8 + 0.2 * progress, width, height);
        gtk_snapshot_pop(snapshot);
        break;
    case TINTYPE_TRANSITION_FLIP: {
        // Seen straight from the front, a turning card only grows narrower and wider again.
        double turned = fabs(cos(progress * G_PI));
        if (turned > 0.01) draw_scaled(snapshot, progress < 0.5 ? before : after, turned, 1, width, height);
        break;
    }
    }
}

static void dot(GtkSnapshot *snapshot, double x, double y, double radius, const GdkRGBA *colour) {
    graphene_rect_t bounds = rectangle(x - radius, y - radius, radius * 2, radius * 2);
    GskRoundedRect round;
    gsk_rounded_rect_init_from_rect(&round, &bounds, (float)radius);
    gtk_snapshot_push_rounded_clip(snapshot, &round);
    gtk_snapshot_append_color(snapshot, colour, &bounds);
    gtk_snapshot_pop(snapshot);
}

void tintype_draw_activity(GtkSnapshot *snapshot, double turn, double width, double height) {
    enum { COUNT = 8 };
    double radius = CLAMP(MIN(width, height) * 0.16, 4, 18);
    for (int i = 0; i < COUNT; i++) {
        double angle = i * 2 * G_PI / COUNT;
        double age = turn - (double)i / COUNT;
        age -= floor(age);
        // Readable on light and on dark: mid grey that fades along the turn.
        GdkRGBA colour = {0.5f, 0.5f, 0.52f, (float)(0.9 - 0.75 * age)};
        dot(snapshot, width / 2 + sin(angle) * radius, height / 2 - cos(angle) * radius, MAX(1, radius * 0.22), &colour);
    }
}

void tintype_draw_progress(GtkSnapshot *snapshot, double done, double width, double height) {
    double thickness = CLAMP(height * 0.04, 3, 6), margin = CLAMP(width * 0.08, 2, 16);
    double length = width - 2 * margin, y = height - margin - thickness;
    if (length <= 0) return;
    graphene_rect_t track = rectangle(margin, y, length, thickness);
    graphene_rect_t bar = rectangle(margin, y, length * CLAMP(done, 0, 1), thickness);
    GskRoundedRect round;
    gsk_rounded_rect_init_from_rect(&round, &track, (float)(thickness / 2));
    gtk_snapshot_push_rounded_clip(snapshot, &round);
    gtk_snapshot_append_color(snapshot, &(GdkRGBA){0.5f, 0.5f, 0.52f, 0.35f}, &track);
    gtk_snapshot_append_color(snapshot, &(GdkRGBA){0.21f, 0.52f, 0.89f, 1}, &bar);
    gtk_snapshot_pop(snapshot);
}
