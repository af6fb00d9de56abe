/// The rows of the table: 5,000 apps, none of which exists.
enum AppNames {
    struct App: Sendable {
        var name: String
        var kind: String
        var downloads: Int
    }

    static let count = 5_000

    private static let first = [
        "Amber", "Quiet", "Northern", "Paper", "Silver", "Copper", "Velvet", "Granite", "Morning", "Hollow", "Little",
        "Distant", "Bright", "Salt", "Cedar", "Winter", "Harbour", "Golden", "Midnight", "Maple", "Linen", "Coral",
        "Ivory", "Juniper", "Marble", "Ember", "Willow", "Cobalt", "Meadow", "Saffron", "Indigo", "Slate", "Clover",
        "Drift", "Echo", "Fable", "Gentle", "Hazel", "Inner", "Jade", "Kindred", "Lunar", "Misty", "Noble", "Olive",
        "Pebble", "Quartz", "River", "Solar", "Timber", "Umber", "Vivid", "Wander", "Young", "Zephyr", "Blue",
        "Crimson",
        "Dusk", "Early", "Feather", "Garden", "Honest", "Island", "Jolly", "Keen", "Lantern", "Mellow", "Nimble",
        "Open",
        "Plain", "Rustic", "Steady",
    ]
    private static let second = [
        "Compass", "Ledger", "Almanac", "Metronome", "Postcard", "Sundial", "Notes", "Darkroom", "Barometer", "Lantern",
        "Typecase", "Greenhouse", "Observatory", "Carousel", "Waypoint", "Quill", "Foundry", "Orchard", "Lighthouse",
        "Semaphore", "Atlas", "Sketchbook", "Kettle", "Tuner", "Timer", "Reader", "Planner", "Mixer", "Puzzles",
        "Radio",
        "Weather", "Budget", "Recipes", "Letters", "Museum", "Garden", "Trails", "Signals", "Letterpress", "Tides",
        "Chess", "Calendar", "Camera", "Library", "Workshop", "Piano", "Markets", "Maps", "Stories", "Studio",
        "Archive",
        "Bakery", "Cinema", "Diary", "Engine", "Ferry", "Gallery", "Harvest", "Index", "Journal", "Keys", "Loom",
        "Mosaic", "Nursery", "Outpost", "Palette", "Quarry", "Relay", "Satchel", "Theatre",
    ]
    private static let kinds = [
        "Tools", "Music", "Travel", "Games", "Photo", "Books", "Finance", "Health", "Education",
    ]

    static func app(_ number: Int) -> App {
        // A step that has no common factor with the number of names: each one once.
        let place = number * 1_357 % (first.count * second.count)
        var dice = Dice(number + 77)
        let size = dice.next()
        return App(
            name: first[place % first.count] + " " + second[place / first.count], kind: kinds[dice.index(kinds.count)],
            downloads: Int(12 + size * size * size * size * 4_800_000))
    }

    /// 1234567 as 1,234,567.
    static func grouped(_ number: Int) -> String {
        var digits = Array(String(number))
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: place)
            place -= 3
        }
        return String(digits)
    }
}
