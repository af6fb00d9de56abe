#pragma once
#include "CTintypeGTK.h"

// A paintable, and how it is placed in the area.
typedef struct {
    GdkPaintable *paintable;
    TintypeFit fit;
    // In application pixels; 0 if it has none but the paintable's.
    int width;
} TintypeContent;

void tintype_draw_content(GtkSnapshot *snapshot, const TintypeContent *content, double width, double height);
void tintype_draw_transition(GtkSnapshot *snapshot, TintypeTransition transition, double progress,
                             const TintypeContent *before, const TintypeContent *after, double width, double height);
void tintype_draw_activity(GtkSnapshot *snapshot, double turn, double width, double height);
void tintype_draw_progress(GtkSnapshot *snapshot, double done, double width, double height);
