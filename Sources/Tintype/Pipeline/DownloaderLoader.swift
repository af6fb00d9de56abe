import TintypeBase

/// Loads with an `ImageDownloader`; its reports are passed on only while a waiter wants them.
package struct DownloaderLoader: ImageLoader {
    package let downloader: ImageDownloader
    /// Told of the end of each transfer, with the bytes if it succeeded.
    package var didEnd: (@Sendable (DownloadRequest, HTTPTransfer, Data?) -> Void)?

    package init(
        downloader: ImageDownloader, didEnd: (@Sendable (DownloadRequest, HTTPTransfer, Data?) -> Void)? = nil
    ) {
        self.downloader = downloader
        self.didEnd = didEnd
    }

    package var identifier: String { "" }

    package func load(_ request: DownloadRequest, context: LoadContext) async throws -> (Data, DownloadResponse) {
        let transfer = downloader.transfer(for: request)
        let listeners = Locked(Listeners())
        let observer = context.observe { priority, wantsProgress, wantsData in
            if transfer.priority != priority { transfer.priority = priority }
            listeners.withLock { listeners in
                if wantsProgress, listeners.progress == nil {
                    listeners.progress = Task.detached {
                        for await progress in transfer.progress { context.didMakeProgress(progress) }
                    }
                }
                if wantsData, listeners.data == nil {
                    listeners.data = Task.detached { await DownloaderLoader.pass(transfer.chunks, to: context) }
                }
            }
        }
        defer { context.stopObserving(observer) }
        let result: (Data, DownloadResponse)
        do {
            result = try await withTaskCancellationHandler {
                try await transfer.result()
            } onCancel: {
                transfer.cancel()
            }
        } catch {
            didEnd?(request, transfer, nil)
            throw error
        }
        didEnd?(request, transfer, result.0)
        // The last report comes before the end of the load.
        await listeners.withLock { $0.progress }?.value
        listeners.withLock { $0.data }?.cancel()
        return result
    }

    private struct Listeners {
        var progress: Task<Void, Never>?
        var data: Task<Void, Never>?
    }

    private static func pass(_ chunks: TransferChunks, to context: LoadContext) async {
        var count = 0
        do {
            for try await chunk in chunks {
                // A transfer that was tried again starts from the beginning: what was shown is not taken back.
                guard chunk.offset <= count else { return }
                let new = chunk.data.dropFirst(count - chunk.offset)
                guard !new.isEmpty else { continue }
                count += new.count
                context.didReceive(Data(new))
            }
        } catch {
            // The transfer reports its error to the waiter for its result.
        }
    }
}

extension ImageDownloader: ImageLoader {
    /// The pipeline's own loader, which keys do not name.
    public var identifier: String { "" }

    public func load(_ request: DownloadRequest, context: LoadContext) async throws -> (Data, DownloadResponse) {
        try await DownloaderLoader(downloader: self).load(request, context: context)
    }
}
