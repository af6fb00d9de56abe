/// A binary heap: its first element is the one that comes `before` all others.
package struct BinaryHeap<Element> {
    private var elements: [Element] = []
    private let before: (Element, Element) -> Bool

    package init(before: @escaping (Element, Element) -> Bool) {
        self.before = before
    }

    /// The first element, which stays.
    package var first: Element? { elements.first }

    /// The number of elements.
    package var count: Int { elements.count }
    /// Whether there is no element.
    package var isEmpty: Bool { elements.isEmpty }

    /// Adds an element. O(log n).
    package mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard before(elements[child], elements[parent]) else { break }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the first element; nil if the heap is empty. O(log n).
    package mutating func removeFirst() -> Element? {
        guard let first = elements.first else { return nil }
        let last = elements.removeLast()
        guard !elements.isEmpty else { return first }
        elements[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < elements.count {
                if before(elements[child], elements[least]) { least = child }
            }
            if least == parent { return first }
            elements.swapAt(parent, least)
            parent = least
        }
    }
}
