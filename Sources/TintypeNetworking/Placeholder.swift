public enum TintypeNetworkingPlaceholder {}
