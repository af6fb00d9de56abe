import CLibFuzzer
import FoundationEssentials
import Glibc

// SwiftPM renames `main` of executables, so libFuzzer's own cannot be used: its driver is called from here.
_ = Subject.chosen
var argumentCount = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
let status = LLVMFuzzerRunDriver(&argumentCount, &arguments) { bytes, count in
    Subject.chosen.run(bytes.map { Data(bytes: $0, count: count) } ?? Data())
    return 0
}
exit(status)
