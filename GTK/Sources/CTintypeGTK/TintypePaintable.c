#include "CTintypeGTK.h"

struct _TintypePaintable {
    GObject parent_instance;
    int width, height;
    GdkTexture *texture;
    GdkPaintable *previous;
    double opacity;
    TintypeDrawnFunc drawn;
    gpointer drawn_data;
    GDestroyNotify drawn_destroy;
};

static void tintype_paintable_interface_init(GdkPaintableInterface *iface);
G_DEFINE_TYPE_WITH_CODE(TintypePaintable, tintype_paintable, G_TYPE_OBJECT,
                        G_IMPLEMENT_INTERFACE(GDK_TYPE_PAINTABLE, tintype_paintable_interface_init))

static void tintype_paintable_snapshot(GdkPaintable *paintable, GdkSnapshot *snapshot, double width, double height) {
    TintypePaintable *self = TINTYPE_PAINTABLE(paintable);
    if (self->previous) gdk_paintable_snapshot(self->previous, snapshot, width, height);
    if (self->texture) {
        gboolean fades = self->opacity < 1;
        if (fades) gtk_snapshot_push_opacity(GTK_SNAPSHOT(snapshot), self->opacity);
        gtk_snapshot_append_texture(GTK_SNAPSHOT(snapshot), self->texture,
                                    &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
        if (fades) gtk_snapshot_pop(GTK_SNAPSHOT(snapshot));
    }
    if (self->drawn) self->drawn(self->drawn_data, width, height);
}

static GdkPaintable *tintype_paintable_current_image(GdkPaintable *paintable) {
    TintypePaintable *self = TINTYPE_PAINTABLE(paintable);
    if (self->texture) return GDK_PAINTABLE(g_object_ref(self->texture));
    return gdk_paintable_new_empty(self->width, self->height);
}

static int tintype_paintable_width(GdkPaintable *paintable) { return TINTYPE_PAINTABLE(paintable)->width; }

static int tintype_paintable_height(GdkPaintable *paintable) { return TINTYPE_PAINTABLE(paintable)->height; }

static void tintype_paintable_interface_init(GdkPaintableInterface *iface) {
    iface->snapshot = tintype_paintable_snapshot;
    iface->get_current_image = tintype_paintable_current_image;
    iface->get_intrinsic_width = tintype_paintable_width;
    iface->get_intrinsic_height = tintype_paintable_height;
}

static void tintype_paintable_finalize(GObject *object) {
    TintypePaintable *self = TINTYPE_PAINTABLE(object);
    g_clear_object(&self->texture);
    g_clear_object(&self->previous);
    if (self->drawn_destroy) self->drawn_destroy(self->drawn_data);
    G_OBJECT_CLASS(tintype_paintable_parent_class)->finalize(object);
}

static void tintype_paintable_class_init(TintypePaintableClass *klass) {
    G_OBJECT_CLASS(klass)->finalize = tintype_paintable_finalize;
}

static void tintype_paintable_init(TintypePaintable *self) { self->opacity = 1; }

TintypePaintable *tintype_paintable_new(int width, int height) {
    TintypePaintable *self = g_object_new(TINTYPE_TYPE_PAINTABLE, NULL);
    self->width = width;
    self->height = height;
    return self;
}

void tintype_paintable_set_texture(TintypePaintable *self, GdkTexture *texture, int width, int height) {
    gboolean resized = width != self->width || height != self->height;
    self->width = width;
    self->height = height;
    if (g_set_object(&self->texture, texture)) gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
    if (resized) gdk_paintable_invalidate_size(GDK_PAINTABLE(self));
}

void tintype_paintable_set_fade(TintypePaintable *self, GdkPaintable *previous, double opacity) {
    self->opacity = CLAMP(opacity, 0, 1);
    if (self->opacity >= 1) previous = NULL;
    g_set_object(&self->previous, previous);
    gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
}

void tintype_paintable_set_drawn_func(TintypePaintable *self, TintypeDrawnFunc func, gpointer data,
                                      GDestroyNotify destroy) {
    if (self->drawn_destroy) self->drawn_destroy(self->drawn_data);
    self->drawn = func;
    self->drawn_data = data;
    self->drawn_destroy = destroy;
}
