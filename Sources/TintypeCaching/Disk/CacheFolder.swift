import CSystemShim
import TintypeBase

/// The paths of a cache.
struct CachePaths: Sendable {
    /// The folder that holds the namespaces: the caller's choice, which may be a symbolic link.
    let parent: String
    /// The value of ``DiskCache/path``.
    let root: String
    /// The entry files and nothing else.
    let entries: String
    /// Journal, lock, temporary files, exported originals, trash.
    let state: String
    /// The folders of entries and of state, as components below `parent`.
    let entriesComponents: [String]
    let stateComponents: [String]

    /// With our own naming the entries have a folder of their own inside the namespace; with SDWebImage's they are in
    /// the namespace itself, as SDWebImage expects, and the rest is beside it in a hidden folder.
    init(root: String, namespace: String, naming: DiskCache.Naming) {
        parent = root
        switch naming {
        case .sha256: (entriesComponents, stateComponents) = ([namespace, "entries"], [namespace])
        case .sdWebImage: (entriesComponents, stateComponents) = ([namespace], ["." + namespace + ".tintype"])
        }
        func path(_ components: [String]) -> String {
            root + (root.hasSuffix("/") ? "" : "/") + components.joined(separator: "/")
        }
        self.root = path([namespace])
        entries = path(entriesComponents)
        state = path(stateComponents)
    }
}

/// The open directories of a cache. Every operation goes through these descriptors, so that one that began in a folder
/// never ends in another one that took its place.
///
/// Below the folder that the caller named no symbolic link is followed, and every folder belongs to this user.
final class CacheFolder: Sendable {
    let entries: Int32
    /// -1 when nothing can be written, like `temporaries` and `entriesParent`.
    let state: Int32
    let temporaries: Int32
    /// The folder in which `entries` has its name.
    let entriesParent: Int32
    let writeProblem: SystemError?
    /// What makes this process the owner of the index; nil for guests.
    let lock: OwnerLock?
    private let device: UInt64
    private let inode: UInt64

    var isOwner: Bool { lock != nil }

    /// - Parameter previous: the folder that this one replaces; its lock is kept where it still counts.
    init(_ paths: CachePaths, files: FileLayer, previous: CacheFolder?) throws(SystemError) {
        // Failures to create, and from the second `do` on all failures, mean that nothing can be written; the entries
        // can still be read.
        var problem: SystemError?
        do throws(SystemError) {
            try files.createDirectories(paths.parent)
        } catch {
            problem = error
        }
        let parent = try files.openDirectory(paths.parent)
        defer { close(parent) }
        let opened = try Self.open(paths.entriesComponents, in: parent, files: files, &problem)
        entries = opened.last
        entriesParent = opened.beforeLast
        (device, inode) = (opened.status.device, opened.status.inode)
        var (state, temporaries): (Int32, Int32) = (-1, -1)
        var lock: OwnerLock?
        if problem == nil {
            do throws(SystemError) {
                let opened = try Self.open(paths.stateComponents, in: parent, files: files, &problem)
                close(opened.beforeLast)
                state = opened.last
                if let problem { throw problem }
                temporaries = try files.openOwnDirectory("tmp", in: state)
                lock = try OwnerLock.take(in: state, files: files, held: previous?.lock)
            } catch {
                problem = error
                if temporaries >= 0 { close(temporaries) }
                temporaries = -1
            }
        }
        self.state = state
        self.temporaries = temporaries
        self.lock = lock
        writeProblem = problem
    }

    /// Opens a folder below `parent`, and creates what is missing of it. `problem` gets the reason when that fails.
    private static func open(
        _ components: [String], in parent: Int32, files: FileLayer, _ problem: inout SystemError?
    ) throws(SystemError) -> (last: Int32, beforeLast: Int32, status: FileStatus) {
        var folder = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw SystemError(operation: .open, number: errno) }
        for (index, name) in components.enumerated() {
            do throws(SystemError) {
                do throws(SystemError) {
                    // A link in the place of the namespace may be the user's; one inside of it is not.
                    try files.createOwnDirectory(name, in: folder, removesLink: index > 0)
                } catch {
                    problem = problem ?? error
                }
                let next = try files.openDirectory(name, in: folder, followsLinks: false)
                do throws(SystemError) {
                    let status = try files.status(next)
                    guard status.owner == geteuid() else {
                        throw SystemError(operation: .open, number: SystemError.foreignOwner)
                    }
                    if index == components.count - 1 { return (next, folder, status) }
                } catch {
                    close(next)
                    throw error
                }
                close(folder)
                folder = next
            } catch {
                close(folder)
                throw error
            }
        }
        close(folder)
        throw SystemError(operation: .open, number: ENOENT)
    }

    deinit {
        for file in [entries, entriesParent, state, temporaries] where file >= 0 { close(file) }
    }

    /// Whether the path still leads to this folder: not wiped, not cleared by another process, not replaced.
    func isCurrent(_ paths: CachePaths) -> Bool {
        var status = FileStatus()
        return ct_stat(paths.entries, &status) == 0 && status.device == device && status.inode == inode
    }

    /// Whether only this user can reach the entries: then their files can be mapped, because no other user can truncate
    /// them while they are read.
    var isPrivate: Bool {
        var status = FileStatus()
        return ct_fstat(entries, &status) == 0 && status.owner == geteuid() && status.permissions & 0o077 == 0
    }

    /// Modification time of the folder of entries: moves with every file that comes or goes.
    var modified: Int64? {
        var status = FileStatus()
        return ct_fstat(entries, &status) == 0 ? status.modified : nil
    }
}

/// The flock on the lock file of a cache. The system releases it when the process ends, however it ends.
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

    /// Nil when another process holds it, or the file system has no locks: then this process is a guest.
    static func take(in state: Int32, files: FileLayer, held: OwnerLock?) throws(SystemError) -> OwnerLock? {
        if let number = files.fault?(.lock) { throw SystemError(operation: .lock, number: number) }
        let name = "owner.lock"
        if let status = files.status(name, in: state), !status.isOwnFile {
            // A link, a pipe or another user's file. A folder stays, and is an error below.
            unlinkat(state, name, 0)
        }
        let file = openat(state, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard file >= 0 else { throw SystemError(operation: .lock, number: errno) }
        guard let status = try? files.status(file), status.isOwnFile else {
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
