public enum TintypeCachingPlaceholder {}
