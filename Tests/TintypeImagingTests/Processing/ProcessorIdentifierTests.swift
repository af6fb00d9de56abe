import Testing

@testable import TintypeImaging

/// Identifiers go into cache keys: they must never change, and never be equal for different pixels.
@Suite struct ProcessorIdentifierTests {
    static let golden: [(any ImageProcessor, String)] = [
        (
            .resize(width: 320), "resize(w=320,h=-,fit=contain,up=1,filter=lanczos3,gravity=center,linear=0)"
        ),
        (
            .resize(
                width: 320, height: 200, fit: .cover, allowsUpscaling: false, filter: .catmullRom,
                gravity: .topLeft),
            "resize(w=320,h=200,fit=cover,up=0,filter=catmull-rom,gravity=top-left,linear=0)"
        ),
        (
            .resize(ResizeTarget(width: nil, height: 9, fit: .fill, isLinearLight: true)),
            "resize(w=-,h=9,fit=fill,up=1,filter=lanczos3,gravity=center,linear=1)"
        ),
        (.crop(x: 1, y: -2, width: 3, height: 4), "crop(x=1,y=-2,w=3,h=4)"),
        (.crop(width: 3, height: 4, gravity: .attention), "crop(w=3,h=4,gravity=attention)"),
        (.circle(), "circle()"),
        (.circle(border: BorderStroke(width: 1.5, color: .black)), "circle(bw=1.5,bc=000000ff)"),
        (.roundedCorners(radius: 8), "rounded(r=8,corners=15)"),
        (
            .roundedCorners(
                fraction: 0.25, corners: [.topLeft, .bottomRight], border: BorderStroke(width: 2, color: .white)),
            "rounded(f=0.25,corners=9,bw=2,bc=ffffffff)"
        ),
        (.border(width: 3, color: PixelColor(rgb: 0x336699, alpha: 0.5)), "border(w=3,c=33669980,at=inside)"),
        (.border(width: 3, color: .black, position: .outside), "border(w=3,c=000000ff,at=outside)"),
        (.rotate(degrees: -90), "rotate(deg=270,bg=00000000,fit=1)"),
        (.rotate(degrees: 12.5, background: .white, fitsCanvas: false), "rotate(deg=12.5,bg=ffffffff,fit=0)"),
        (.flip(.horizontal), "flip(axis=horizontal)"),
        (.blur(sigma: 10), "blur(sigma=10)"),
        (.sharpen(), "sharpen(amount=0.5,sigma=1,threshold=0)"),
        (.tint(PixelColor(rgb: 0xFF0000, alpha: 0.5)), "tint(c=ff000080,mode=source-atop)"),
        (.background(.white), "background(c=ffffffff)"),
        (.colorControls(brightness: 0.1), "color(b=0.1,c=1,s=1)"),
        (.grayscale(), "grayscale(amount=1)"),
        (.sepia(amount: 0.5), "sepia(amount=0.5)"),
        (.pad(5), "pad(t=5,l=5,b=5,r=5,c=00000000)"),
        (.pad(toWidth: 40, height: 30, gravity: .left, color: .black), "pad(w=40,h=30,gravity=left,c=000000ff)"),
        (.trim(), "trim(tolerance=10)"),
        (.trim(tolerance: 0, color: .white), "trim(tolerance=0,c=ffffffff)"),
        (.custom(id: "my,(id)") { $0 }, "custom(id=7:my,(id))"),
        (
            .compose([.circle(), .blur(sigma: 2)]), "compose(p=8:circle(),p=13:blur(sigma=2))"
        ),
    ]

    // Scenario S65 of the conformance list.
    @Test("Identifiers are stable across versions")
    func goldenList() {
        for (processor, identifier) in Self.golden { #expect(processor.identifier == identifier) }
        #expect(Set(Self.golden.map(\.1)).count == Self.golden.count)
    }

    // Scenario S65 of the conformance list.
    @Test("An overlay's identifier carries its name and all its parameters")
    func overlay() throws {
        let mark = try TestImages.constant((1, 2, 3, 255), width: 2, height: 2)
        let overlay = ImageProcessors.Overlay(
            bitmap: mark, id: "mark", gravity: .bottomRight, offset: (-4, -4), mode: .multiply, opacity: 0.75)
        #expect(overlay.identifier == "overlay(id=4:mark,gravity=bottom-right,x=-4,y=-4,mode=multiply,opacity=0.75)")
    }

    // Scenario S65 of the conformance list.
    @Test("Lists of processors that only look alike when joined have different identifiers")
    func composition() {
        func list(_ ids: String...) -> String {
            ImageProcessors.Composition(processors: ids.map { .custom(id: $0) { $0 } }).identifier
        }
        let identifiers = [
            list("resize-", "largeblur"), list("resize-large", "blur"), list("blur", "resize-large"), list("a", "bc"),
            list("ab", "c"), list("abc"), list("a", "b", "c"), list(), list(""), list("", ""),
            list("a),p=1:custom(id=1:b"), list("a", "b"), list("é"), list("e\u{301}"),
        ]
        #expect(Set(identifiers.map { Array($0.utf8) }).count == identifiers.count)
        // Nested lists are not the flat one.
        let nested = ImageProcessors.Composition(processors: [
            ImageProcessors.Composition(processors: [.circle()]), .flip(.vertical),
        ])
        #expect(nested.identifier != ImageProcessors.Composition(processors: [.circle(), .flip(.vertical)]).identifier)
    }

    // Scenario S65 of the conformance list.
    @Test("Equal parameters have equal identifiers, different ones different")
    func numbers() {
        #expect(
            ImageProcessors.GaussianBlur(sigma: 1.0).identifier == ImageProcessors.GaussianBlur(sigma: 1).identifier)
        #expect(ProcessorIdentifier.number(-0.0) == "0")
        #expect(ProcessorIdentifier.number(0.1) != ProcessorIdentifier.number(0.1.nextUp))
        #expect(ProcessorIdentifier.number(1e300) == "1e+300")
        #expect(ProcessorIdentifier.number(.nan) == "nan")
        #expect(ProcessorIdentifier.number(.infinity) == "inf")
        #expect(ResizeTarget(width: 100, height: nil).identifier != ResizeTarget(width: nil, height: 100).identifier)
        #expect(ImageProcessors.Rotate(degrees: 360).identifier == ImageProcessors.Rotate(degrees: 0).identifier)
        #expect(ImageProcessors.Rotate(degrees: -1e-20).identifier == ImageProcessors.Rotate(degrees: 0).identifier)
    }
}
