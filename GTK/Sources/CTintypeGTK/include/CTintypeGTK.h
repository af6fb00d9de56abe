#pragma once
#include <gtk/gtk.h>

G_BEGIN_DECLS

// libdispatch's main queue as a file descriptor and a drain function: the entry points that CoreFoundation uses on Linux.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *_Nullable ignored);

/// A GdkPaintable whose contents change while its size stays, which changes them with a transition, draws an indicator over
/// them, and tells when it is drawn.
#define TINTYPE_TYPE_PAINTABLE (tintype_paintable_get_type())
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"  // the macro's own declarations carry none
G_DECLARE_FINAL_TYPE(TintypePaintable, tintype_paintable, TINTYPE, PAINTABLE, GObject)
#pragma clang diagnostic pop

/// How contents are placed in the paintable's area; the values of GtkContentFit.
typedef enum { TINTYPE_FIT_FILL, TINTYPE_FIT_CONTAIN, TINTYPE_FIT_COVER, TINTYPE_FIT_SCALE_DOWN } TintypeFit;

typedef enum {
    TINTYPE_TRANSITION_NONE,
    TINTYPE_TRANSITION_CROSS_FADE,
    TINTYPE_TRANSITION_SLIDE_LEFT,
    TINTYPE_TRANSITION_SLIDE_RIGHT,
    TINTYPE_TRANSITION_SLIDE_UP,
    TINTYPE_TRANSITION_SLIDE_DOWN,
    TINTYPE_TRANSITION_REVEAL,
    TINTYPE_TRANSITION_ZOOM,
    TINTYPE_TRANSITION_FLIP,
} TintypeTransition;

typedef enum { TINTYPE_INDICATOR_NONE, TINTYPE_INDICATOR_ACTIVITY, TINTYPE_INDICATOR_PROGRESS } TintypeIndicator;

/// `width` and `height` are the drawn size in application pixels.
typedef void (*TintypeDrawFunc)(gpointer _Nullable user_data, double width, double height);

/// `width` and `height` are the intrinsic size in application pixels; 0 means that there is none.
/// - `is_fixed`: the intrinsic size never changes, whatever the contents are: no change of them costs a layout.
TintypePaintable *_Nonnull tintype_paintable_new(int width, int height, gboolean is_fixed);

/// Shows `content` from the next draw on. Emits invalidate-contents, and invalidate-size only if the intrinsic size changes;
/// neither from inside the draw function. The intrinsic size does not follow the contents where it is fixed or there is an area.
void tintype_paintable_set_content(TintypePaintable *_Nonnull self, GdkPaintable *_Nullable content, TintypeFit fit,
                                   int width, int height);

/// The room that was asked for whatever is shown in it, in application pixels; 0 means that there is none. It is the intrinsic
/// size then, without an aspect ratio, and changes of the contents cost no layout. Emits invalidate-size if that changes.
void tintype_paintable_set_area(TintypePaintable *_Nonnull self, int width, int height);

/// The next contents come in with this transition over the present ones.
void tintype_paintable_begin_transition(TintypePaintable *_Nonnull self, TintypeTransition transition);

/// From 0 to 1; 1 ends the transition and drops the old contents.
void tintype_paintable_set_progress(TintypePaintable *_Nonnull self, double progress);

/// - `value`: the done part for a progress bar (0 to 1), the turn for the activity indicator (any number; whole ones are equal).
void tintype_paintable_set_indicator(TintypePaintable *_Nonnull self, TintypeIndicator indicator, double value);

/// `will_draw` runs on the main thread each time before the paintable is really drawn. It may change the contents of a
/// paintable of fixed size, which shows in the same frame, and must not touch widgets.
void tintype_paintable_set_draw_func(TintypePaintable *_Nonnull self, TintypeDrawFunc _Nullable will_draw,
                                     gpointer _Nullable user_data, GDestroyNotify _Nullable destroy);

G_END_DECLS
