#pragma once
#include <gtk/gtk.h>

G_BEGIN_DECLS

// libdispatch's main queue as a file descriptor and a drain function: the entry points that CoreFoundation uses on Linux.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *_Nullable ignored);

/// A GdkPaintable whose contents change while its size stays, and which tells when it is drawn.
#define TINTYPE_TYPE_PAINTABLE (tintype_paintable_get_type())
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"  // the macro's own declarations carry none
G_DECLARE_FINAL_TYPE(TintypePaintable, tintype_paintable, TINTYPE, PAINTABLE, GObject)
#pragma clang diagnostic pop

typedef void (*TintypeDrawnFunc)(gpointer _Nullable user_data, double width, double height);

/// `width` and `height` are the intrinsic size in application pixels; 0 means that there is none.
TintypePaintable *_Nonnull tintype_paintable_new(int width, int height);

/// Shows `texture` from the next draw on. Emits invalidate-contents, and invalidate-size only if the intrinsic size changes.
void tintype_paintable_set_texture(TintypePaintable *_Nonnull self, GdkTexture *_Nullable texture, int width, int height);

/// Draws `previous` below the texture, the texture with this opacity: a cross-fade. An opacity of 1 drops `previous`.
void tintype_paintable_set_fade(TintypePaintable *_Nonnull self, GdkPaintable *_Nullable previous, double opacity);

/// `func` runs on the main thread each time the paintable is really drawn. It must not touch widgets.
void tintype_paintable_set_drawn_func(TintypePaintable *_Nonnull self, TintypeDrawnFunc _Nullable func,
                                      gpointer _Nullable user_data, GDestroyNotify _Nullable destroy);

G_END_DECLS
