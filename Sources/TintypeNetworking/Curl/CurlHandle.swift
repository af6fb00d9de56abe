import CCurl
import CCurlShim

/// A libcurl easy handle with the memory that its transfer uses. Confined to the transfer thread.
final class CurlHandle {
    let easy: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>
    private var lists: [UnsafeMutablePointer<curl_slist>] = []

    init?() {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(easy)
        freeLists()
        errorText.deallocate()
    }

    /// Resets the handle for another transfer. Connections belong to the multi handle and stay.
    ///
    /// `curl_easy_reset` keeps the cookie engine with its cookies; setting no cookie file removes it.
    func reset() {
        cc_set_string(easy, CURLOPT_COOKIEFILE, nil)
        curl_easy_reset(easy)
        freeLists()
    }

    func prepareErrorText() {
        errorText.pointee = 0
        cc_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    }

    /// Returns libcurl's message for the failure, else that of the code.
    func errorDescription(_ code: CURLcode) -> String {
        let text = String(cString: errorText)
        return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    }

    func set(_ option: CURLoption, _ value: Int) {
        cc_set_long(easy, option, value)
    }

    /// Sets a text, which libcurl copies.
    func set(_ option: CURLoption, _ value: String?) {
        cc_set_string(easy, option, value)
    }

    func set(_ option: CURLoption, list values: [String]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for value in values {
            guard let longer = curl_slist_append(list, value) else { break }
            list = longer
        }
        guard let list else { return }
        lists.append(list)
        cc_set_pointer(easy, option, list)
    }

    func offset(_ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        cc_get_offset(easy, info, &value)
        return Int(value)
    }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        cc_get_long(easy, info, &value)
        return value
    }

    func string(_ info: CURLINFO) -> String {
        var value: UnsafePointer<CChar>?
        cc_get_string(easy, info, &value)
        return value.map { String(cString: $0) } ?? ""
    }

    private func freeLists() {
        for list in lists { curl_slist_free_all(list) }
        lists = []
    }
}
