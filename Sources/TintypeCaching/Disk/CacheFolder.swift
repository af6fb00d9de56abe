import CSystemShim
import TintypeBase

/// Where the parts of a cache lie.
struct CachePaths: Sendable {
    /// What ``DiskCache/path`` says.
    let root: String
    /// The entry files and nothing else.
    let entries: String
    /// Journal, lock, temporary files, exported originals, trash.
    let state: String

    /// With our own naming the entries have a folder of their own inside the namespace; with SDWebImage's they lie in
    /// the namespace itself, as SDWebImage expects, and the rest lies beside it in a hidden folder.
    init(root: String, namespace: String, naming: DiskCache.Naming) {
        let path = root + (root.hasSuffix("/") ? "" : "/") + namespace
        self.root = path
        switch naming {
        case .sha256:
            state = path
            entries = path + "/entries"
        case .sdWebImage:
            state = root + (root.hasSuffix("/") ? "" : "/") + "." + namespace + ".tintype"
            entries = path
        }
    }
}

/// The open directories of a cache. Everything goes through these descriptors, so that an operation that began in a
/// folder never ends in another one that took its place.
final class CacheFolder: Sendable {
    let entries: Int32
    let state: Int32
    /// -1 when nothing can be written; `writeProblem` says why.
    let temporaries: Int32
    let writeProblem: SystemError?
    /// What makes this process the owner of the index; nil for guests.
    let lock: OwnerLock?
    private let device: UInt64
    private let inode: UInt64

    var isOwner: Bool { lock != nil }

    /// - Parameter previous: the folder that this one replaces; its lock is kept where it still counts.
    init(_ paths: CachePaths, files: FileLayer, previous: CacheFolder?) throws(SystemError) {
        let created = Self.attempt { () throws(SystemError) in
            try files.createDirectories(paths.entries)
            try files.createDirectories(paths.state)
        }
        entries = try files.openDirectory(paths.entries)
        do {
            let status = try files.status(entries)
            device = status.device
            inode = status.inode
        } catch {
            close(entries)
            throw error
        }
        // From here on failures mean that nothing can be written; what is there can still be read.
        var problem = created
        var opened: (state: Int32, temporaries: Int32, lock: OwnerLock?) = (-1, -1, nil)
        if problem == nil {
            problem = Self.attempt { () throws(SystemError) in
                opened.state = try files.openDirectory(paths.state)
                try files.createDirectory("tmp", in: opened.state)
                opened.temporaries = try files.openDirectory("tmp", in: opened.state)
                opened.lock = try OwnerLock.take(in: opened.state, files: files, held: previous?.lock)
            }
        }
        if problem != nil, opened.temporaries >= 0 {
            close(opened.temporaries)
            opened.temporaries = -1
        }
        state = opened.state
        temporaries = opened.temporaries
        lock = opened.lock
        writeProblem = problem
    }

    deinit {
        for file in [entries, state, temporaries] where file >= 0 { close(file) }
    }

    /// Whether the path still leads to this folder: not wiped, not cleared by another process, not replaced.
    func isCurrent(_ paths: CachePaths) -> Bool {
        var status = FileStatus()
        return ct_stat(paths.entries, &status) == 0 && status.device == device && status.inode == inode
    }

    /// Modification time of the folder of entries: moves with every file that comes or goes.
    var modified: Int64? {
        var status = FileStatus()
        return ct_fstat(entries, &status) == 0 ? status.modified : nil
    }

    private static func attempt(_ body: () throws(SystemError) -> Void) -> SystemError? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }
}

/// The flock on the lock file of a cache. The system lets it go when the process ends, however it ends.
final class OwnerLock: Sendable {
    private let file: Int32
    private let device: UInt64
    private let inode: UInt64

    private init(file: Int32, device: UInt64, inode: UInt64) {
        self.file = file
        self.device = device
        self.inode = inode
    }

    deinit {
        // Not by closing alone: a child that is being started has a copy of the descriptor until it runs its program.
        flock(file, LOCK_UN)
        close(file)
    }

    /// Nil when somebody else holds it, or the file system knows no locks: then this process is a guest.
    static func take(in state: Int32, files: FileLayer, held: OwnerLock?) throws(SystemError) -> OwnerLock? {
        if let number = files.fault?(.lock) { throw SystemError(operation: .lock, number: number) }
        let file = openat(state, "owner.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw SystemError(operation: .lock, number: errno) }
        guard let status = try? files.status(file) else {
            close(file)
            return nil
        }
        if let held, held.device == status.device, held.inode == status.inode {
            close(file)
            return held
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            return nil
        }
        return OwnerLock(file: file, device: status.device, inode: status.inode)
    }
}
