#if SVG
    import TintypeBase

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// Finds out what drawing takes by drawing small: an estimate without geometry cannot tell a thousand small shadows
    /// from a thousand that cover everything, and librsvg cannot be stopped.
    ///
    /// The first size is so small that the worst case takes a second. Each next one is as much larger as what was measured
    /// allows, until there is enough to say yes or no.
    struct SVGTrial {
        /// Documents that take longer are refused, in seconds.
        static let maximumSeconds = 10.0
        /// What one trial may take, in seconds, if the one before took less than half as long.
        private static let secondsPerStep = 2.0
        /// The last trial has at most a quarter of the pixels; a result that is not clear then is a no.
        private static let largestShare = 0.25

        /// Seconds that drawing takes at a size at most.
        let worstSeconds: (PixelSize) -> Double
        /// True if time grows with the square of the number of pixels, since radii grow too.
        let isQuadratic: Bool
        /// Draws at a size, and returns the seconds that it took.
        let draw: (PixelSize) throws -> Double

        /// - Throws: `tooCostly`, and what drawing throws.
        func run(_ target: PixelSize) throws {
            var size = scaled(target, 0.5)
            while worstSeconds(size) > 1, size.width > 1 || size.height > 1 { size = scaled(size, 0.5) }
            var last: (area: Double, seconds: Double)?
            var spent = 0.0
            while true {
                let seconds = try draw(size)
                spent += seconds
                let area = Double(size.area)
                // What does not depend on the size shows when two sizes are compared. A little is for the clock.
                let varying =
                    last.map { last in
                        max(seconds - last.seconds, seconds * 0.05) * area / max(1, area - last.area)
                    } ?? seconds
                func predicted(_ ratio: Double) -> Double {
                    seconds + varying * ((isQuadratic ? ratio * ratio : ratio) - 1)
                }
                let whole = Double(target.area) / area
                if predicted(whole) <= Self.maximumSeconds { return }
                var ratio = 64.0
                while ratio > 1.5, predicted(ratio) > max(Self.secondsPerStep, seconds * 2) { ratio *= 0.8 }
                ratio = min(ratio, whole * Self.largestShare)
                guard ratio > 1.2, spent <= Self.maximumSeconds else {
                    throw ImagingError.tooCostly(
                        .svg,
                        "at \(target) it would take more than \(Int(Self.maximumSeconds)) seconds; ask for a smaller size"
                    )
                }
                last = (area, seconds)
                size = scaled(size, ratio.squareRoot())
            }
        }

        private func scaled(_ size: PixelSize, _ factor: Double) -> PixelSize {
            func side(_ length: Int) -> Int { max(1, Int((Double(length) * factor).rounded())) }
            return PixelSize(width: side(size.width), height: side(size.height))
        }

        /// Seconds that `work` took, not counting what others did meanwhile as far as that can be known.
        ///
        /// - Parameter isOnOneThread: false if it may have threads of its own, as filters of librsvg have. Then it took as
        ///   long as the clock says, or as the whole process computed if that is less.
        static func seconds(isOnOneThread: Bool, _ work: () throws -> Void) rethrows -> Double {
            let (start, startOfThread) = (ContinuousClock.now, seconds(CLOCK_THREAD_CPUTIME_ID))
            let startOfProcess = seconds(CLOCK_PROCESS_CPUTIME_ID)
            try work()
            if isOnOneThread { return seconds(CLOCK_THREAD_CPUTIME_ID) - startOfThread }
            return min((ContinuousClock.now - start).inSeconds, seconds(CLOCK_PROCESS_CPUTIME_ID) - startOfProcess)
        }

        private static func seconds(_ clock: clockid_t) -> Double {
            var time = timespec()
            clock_gettime(clock, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
        }
    }
#endif
