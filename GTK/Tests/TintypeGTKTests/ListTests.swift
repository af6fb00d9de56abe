import Foundation
import XCTest

@testable import TintypeGTK

/// Recycled rows never show a wrong image.
final class ListTests: XCTestCase {
    private static func randomLoader() -> ColourLoader {
        ColourLoader { number in
            // Some rows are quick, some slow, in no order.
            var hash = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
            return .init(delay: .milliseconds(Int(hash % 400)))
        }
    }

    @MainActor private static func flung(_ kind: TestList.Cell) throws -> TestList {
        let list = try TestList(kind, loader: randomLoader())
        list.present()
        for velocity in [900.0, 2_500, -1_200, 6_000, -9_000, 400, 12_000, -3_000] { list.fling(velocity) }
        return list
    }

    func testFlingsOverLazyPaintablesShowNoWrongPicture() throws {
        try MainActor.assumeIsolated { try Self.noWrongPicture(.paintable) }
    }

    func testFlingsOverSetImageShowNoWrongPicture() throws {
        try MainActor.assumeIsolated { try Self.noWrongPicture(.binding) }
    }

    @MainActor private static func noWrongPicture(_ kind: TestList.Cell) throws {
        let list = try flung(kind)
        defer { list.host.close() }
        XCTAssertGreaterThan(list.checkCount, 500)
        XCTAssertGreaterThan(list.bindCount, 1_000)
        XCTAssertTrue(list.wrong.isEmpty, "wrong: \(list.wrong.prefix(5))")
        XCTAssertTrue(spin { list.missingRows().isEmpty }, "at rest without image: \(list.missingRows())")
        print(
            "fling \(kind): \(list.bindCount) binds, \(list.checkCount) looks, \(list.loader.startCount) loads started")
    }

    func testTheCheckFailsForANaiveCell() throws {
        try MainActor.assumeIsolated {
            let list = try Self.flung(.naive)
            defer { list.host.close() }
            XCTAssertFalse(list.wrong.isEmpty, "the check does not detect wrong images")
            print("fling naive: \(list.wrong.count) wrong of \(list.checkCount) looks")
        }
    }

    func testFirstPaintLoadsWhatIsVisible() throws {
        try MainActor.assumeIsolated {
            let list = try TestList(.paintable, loader: ColourLoader { _ in .init(delay: .milliseconds(50)) })
            defer { list.host.close() }
            list.present()
            XCTAssertTrue(spin { list.missingRows().isEmpty })
            spin(seconds: 0.3)
            let visible = list.visibleRows.count
            XCTAssertGreaterThan(visible, 5)
            XCTAssertGreaterThan(list.bindCount, visible + 20, "GTK binds more rows than are seen")
            XCTAssertLessThanOrEqual(list.loader.startCount, visible + 2)
            print("first paint: \(list.bindCount) binds, \(visible) visible rows, \(list.loader.startCount) loads")
        }
    }
}
