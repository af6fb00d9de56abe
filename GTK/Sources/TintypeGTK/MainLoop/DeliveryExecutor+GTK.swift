import Tintype

extension DeliveryExecutor {
    /// On GTK's main thread, in order, through `DeliveryQueue.shared`: a burst of results never costs frames.
    public static let gtk = DeliveryExecutor { callback in DeliveryQueue.shared.submit { callback() } }
}
