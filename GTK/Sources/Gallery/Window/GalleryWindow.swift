import CGTK
import Tintype
import TintypeGTK

/// The window: pages, toolbar, status bar.
@MainActor final class GalleryWindow {
    let window: Widget
    let apps: AppsPage
    let photos: PictureGrid
    let moving: PictureGrid
    private let stack: Widget
    private let status: StatusBar
    private let gallery: Gallery
    private var offline: Widget?
    private var slow: Widget?
    private var isSettingToggles = false

    private static let style = """
        .row { padding: 8px 16px; }
        .row .numeric, .status { font-feature-settings: "tnum"; }
        .icon { border-radius: 11px; }
        .photo { border-radius: 10px; background: alpha(currentColor, 0.05); }
        .photo-cell { padding: 6px; }
        .photos { padding: 10px; }
        .toolbar { padding: 8px 12px; border-bottom: 1px solid alpha(currentColor, 0.12); }
        .status { padding: 7px 16px; font-size: 0.9em; border-top: 1px solid alpha(currentColor, 0.12); }
        """

    init(_ gallery: Gallery, application: UnsafeMutablePointer<GtkApplication>) {
        self.gallery = gallery
        apps = AppsPage(gallery)
        photos = PictureGrid(.photos, gallery)
        moving = PictureGrid(.animations, gallery)
        status = StatusBar(gallery)
        window = gtk_application_window_new(application)
        stack = gtk_stack_new()
        let pointer = UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_title(pointer, "Tintype Gallery")
        gtk_window_set_default_size(pointer, 860, 760)
        addStyle()

        gtk_stack_add_titled(stack.opaque, apps.widget, "apps", "Apps")
        gtk_stack_add_titled(stack.opaque, photos.widget, "photos", "Photos")
        gtk_stack_add_titled(stack.opaque, moving.widget, "moving", "Animations")
        let switcher: Widget = gtk_stack_switcher_new()
        gtk_stack_switcher_set_stack(switcher.opaque, stack.opaque)
        let header: Widget = gtk_header_bar_new()
        gtk_header_bar_set_title_widget(header.opaque, switcher)
        gtk_window_set_titlebar(pointer, header)
        gtk_window_set_child(
            pointer, Build.box(GTK_ORIENTATION_VERTICAL, [makeToolbar(), stack, status.widget]))
    }

    private func addStyle() {
        let provider = gtk_css_provider_new()
        gtk_css_provider_load_from_data(provider, Self.style, -1)
        gtk_style_context_add_provider_for_display(
            gdk_display_get_default(), OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        g_object_unref(UnsafeMutableRawPointer(provider!))
    }

    private func makeToolbar() -> Widget {
        let offline = Build.toggle("Offline", tooltip: "The origin closes every connection") { [weak self] isOn in
            self?.setWeather(isOn ? .offline : .fine)
        }
        let slow = Build.toggle("Slow network", tooltip: "Each image takes a second or two") { [weak self] isOn in
            self?.setWeather(isOn ? .slow : .fine)
        }
        (self.offline, self.slow) = (offline, slow)
        return Build.box(
            GTK_ORIENTATION_HORIZONTAL, spacing: 8,
            [
                Build.button("Clear memory", tooltip: "Images are then loaded from disk") { [weak gallery] in
                    gallery?.clearMemory()
                },
                Build.button("Clear disk", tooltip: "Images are then loaded from the network") { [weak gallery] in
                    gallery?.clearDisk()
                },
                Build.button("Memory pressure now", tooltip: "As if the kernel said that memory is short") {
                    [weak gallery] in gallery?.pressMemory()
                },
                Build.spacer(), slow, offline,
            ], css: "toolbar")
    }

    func setWeather(_ weather: GalleryOrigin.Weather) {
        // Setting a toggle comes back here.
        guard gallery.origin.weather != weather, !isSettingToggles else { return }
        let wasOffline = gallery.origin.weather == .offline
        gallery.origin.weather = weather
        isSettingToggles = true
        setToggle(offline, weather == .offline)
        setToggle(slow, weather == .slow)
        isSettingToggles = false
        guard wasOffline else { return }
        apps.retry()
        photos.retry()
        moving.retry()
    }

    private func setToggle(_ toggle: Widget?, _ isOn: Bool) {
        guard let toggle else { return }
        let pointer = UnsafeMutableRawPointer(toggle).assumingMemoryBound(to: GtkToggleButton.self)
        gtk_toggle_button_set_active(pointer, isOn ? 1 : 0)
    }

    func present() { gtk_window_present(UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self)) }

    /// - Parameter name: "apps", "photos" or "moving".
    func showPage(_ name: String) { gtk_stack_set_visible_child_name(stack.opaque, name) }
}
