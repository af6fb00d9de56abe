#include "CTintypeGTK.h"
#include "TintypeDrawing.h"

struct _TintypePaintable {
    GObject parent_instance;
    int width, height;
    int area_width, area_height;
    gboolean is_fixed, is_drawing;
    TintypeContent content, previous;
    TintypeTransition transition;
    double progress;
    TintypeIndicator indicator;
    double indicator_value;
    TintypeDrawFunc will_draw;
    gpointer draw_data;
    GDestroyNotify draw_destroy;
};

static void tintype_paintable_interface_init(GdkPaintableInterface *iface);
G_DEFINE_TYPE_WITH_CODE(TintypePaintable, tintype_paintable, G_TYPE_OBJECT,
                        G_IMPLEMENT_INTERFACE(GDK_TYPE_PAINTABLE, tintype_paintable_interface_init))

static void tintype_paintable_snapshot(GdkPaintable *paintable, GdkSnapshot *gdk_snapshot, double width, double height) {
    TintypePaintable *self = TINTYPE_PAINTABLE(paintable);
    GtkSnapshot *snapshot = GTK_SNAPSHOT(gdk_snapshot);
    // The function may let go of the last other reference.
    g_object_ref(self);
    self->is_drawing = TRUE;
    if (self->will_draw) self->will_draw(self->draw_data, width, height);
    self->is_drawing = FALSE;
    if (self->transition == TINTYPE_TRANSITION_NONE)
        tintype_draw_content(snapshot, &self->content, width, height);
    else
        tintype_draw_transition(snapshot, self->transition, self->progress, &self->previous, &self->content, width, height);
    if (self->indicator == TINTYPE_INDICATOR_ACTIVITY)
        tintype_draw_activity(snapshot, self->indicator_value, width, height);
    else if (self->indicator == TINTYPE_INDICATOR_PROGRESS)
        tintype_draw_progress(snapshot, self->indicator_value, width, height);
    g_object_unref(self);
}

static GdkPaintableFlags tintype_paintable_flags(GdkPaintable *paintable) {
    return TINTYPE_PAINTABLE(paintable)->is_fixed ? GDK_PAINTABLE_STATIC_SIZE : 0;
}

static gboolean has_area(TintypePaintable *self) { return self->area_width > 0 && self->area_height > 0; }

static int tintype_paintable_width(GdkPaintable *paintable) {
    TintypePaintable *self = TINTYPE_PAINTABLE(paintable);
    return has_area(self) ? self->area_width : self->width;
}

static int tintype_paintable_height(GdkPaintable *paintable) {
    TintypePaintable *self = TINTYPE_PAINTABLE(paintable);
    return has_area(self) ? self->area_height : self->height;
}

static double tintype_paintable_aspect_ratio(GdkPaintable *paintable) {
    TintypePaintable *self = TINTYPE_PAINTABLE(paintable);
    // The proportions of an area are not those of the image: without any, a widget that has got more room gives all of it.
    if (has_area(self) || self->width <= 0 || self->height <= 0) return 0;
    return (double)self->width / self->height;
}

static GdkPaintable *tintype_paintable_current_image(GdkPaintable *paintable) {
    TintypePaintable *self = TINTYPE_PAINTABLE(paintable);
    if (self->content.paintable) return gdk_paintable_get_current_image(self->content.paintable);
    return gdk_paintable_new_empty(tintype_paintable_width(paintable), tintype_paintable_height(paintable));
}

static void tintype_paintable_interface_init(GdkPaintableInterface *iface) {
    iface->snapshot = tintype_paintable_snapshot;
    iface->get_current_image = tintype_paintable_current_image;
    iface->get_flags = tintype_paintable_flags;
    iface->get_intrinsic_width = tintype_paintable_width;
    iface->get_intrinsic_height = tintype_paintable_height;
    iface->get_intrinsic_aspect_ratio = tintype_paintable_aspect_ratio;
}

static void tintype_paintable_dispose(GObject *object) {
    TintypePaintable *self = TINTYPE_PAINTABLE(object);
    g_clear_object(&self->content.paintable);
    g_clear_object(&self->previous.paintable);
    tintype_paintable_set_draw_func(self, NULL, NULL, NULL);
    G_OBJECT_CLASS(tintype_paintable_parent_class)->dispose(object);
}

static void tintype_paintable_class_init(TintypePaintableClass *klass) {
    G_OBJECT_CLASS(klass)->dispose = tintype_paintable_dispose;
}

static void tintype_paintable_init(TintypePaintable *self) {}

TintypePaintable *tintype_paintable_new(int width, int height, gboolean is_fixed) {
    TintypePaintable *self = g_object_new(TINTYPE_TYPE_PAINTABLE, NULL);
    self->width = width;
    self->height = height;
    self->is_fixed = is_fixed;
    return self;
}

static void tintype_paintable_invalidate(TintypePaintable *self) {
    // What changes while it is drawn is drawn at once.
    if (!self->is_drawing) gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
}

void tintype_paintable_set_content(TintypePaintable *self, GdkPaintable *content, TintypeFit fit, int width, int height) {
    gboolean is_resized = !self->is_fixed && !self->is_drawing && (width != self->width || height != self->height);
    if (is_resized) {
        self->width = width;
        self->height = height;
    }
    gboolean is_other =
        g_set_object(&self->content.paintable, content) || fit != self->content.fit || width != self->content.width;
    self->content.fit = fit;
    self->content.width = width;
    if (is_other) tintype_paintable_invalidate(self);
    if (is_resized && !has_area(self)) gdk_paintable_invalidate_size(GDK_PAINTABLE(self));
}

void tintype_paintable_set_area(TintypePaintable *self, int width, int height) {
    if (self->is_fixed || (width == self->area_width && height == self->area_height)) return;
    self->area_width = width;
    self->area_height = height;
    gdk_paintable_invalidate_size(GDK_PAINTABLE(self));
}

void tintype_paintable_begin_transition(TintypePaintable *self, TintypeTransition transition) {
    g_set_object(&self->previous.paintable, self->content.paintable);
    self->previous.fit = self->content.fit;
    self->previous.width = self->content.width;
    self->transition = transition;
    self->progress = 0;
    tintype_paintable_invalidate(self);
}

void tintype_paintable_set_progress(TintypePaintable *self, double progress) {
    if (self->transition == TINTYPE_TRANSITION_NONE) return;
    self->progress = CLAMP(progress, 0, 1);
    if (self->progress >= 1) {
        self->transition = TINTYPE_TRANSITION_NONE;
        g_clear_object(&self->previous.paintable);
    }
    tintype_paintable_invalidate(self);
}

void tintype_paintable_set_indicator(TintypePaintable *self, TintypeIndicator indicator, double value) {
    if (self->indicator == indicator && self->indicator_value == value) return;
    self->indicator = indicator;
    self->indicator_value = value;
    tintype_paintable_invalidate(self);
}

void tintype_paintable_set_draw_func(TintypePaintable *self, TintypeDrawFunc will_draw, gpointer data,
                                     GDestroyNotify destroy) {
    GDestroyNotify old_destroy = self->draw_destroy;
    gpointer old_data = self->draw_data;
    self->will_draw = will_draw;
    self->draw_data = data;
    self->draw_destroy = destroy;
    if (old_destroy) old_destroy(old_data);
}
