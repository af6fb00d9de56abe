@_exported import TintypeCaching
@_exported import TintypeImaging
@_exported import TintypeNetworking
