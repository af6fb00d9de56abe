import CCurl
import CCurlShim
import TintypeBase

extension CurlLoop {
    func configureMulti() {
        // The default keeps four connections for each running transfer and closes live ones when few are running.
        cc_multi_set_long(multi.pointer, CURLMOPT_MAXCONNECTS, max(64, queue.maximumRunning * 2))
        cc_multi_set_long(multi.pointer, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        // Above this number libcurl opens a further connection to the host; the server's own limit holds as well.
        cc_multi_set_long(multi.pointer, CURLMOPT_MAX_CONCURRENT_STREAMS, max(100, queue.maximumPerHost))
    }

    /// Configures a reset handle for the next hop of a transfer.
    func configure(_ handle: CurlHandle, for run: TransferRun) {
        let request = run.request
        handle.prepareErrorText()
        handle.set(CURLOPT_URL, run.url.absoluteString)
        // The URL is encoded and has no dot segments: libcurl must not change it.
        handle.set(CURLOPT_PATH_AS_IS, 1)
        handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        handle.set(CURLOPT_NOSIGNAL, 1)
        // Without it, removing a transfer would wait for its name look-up, and block all others.
        handle.set(CURLOPT_QUICK_EXIT, 1)
        // libcurl refuses more than an Int32 holds.
        let connect = request.timeouts.connect.clampedNanoseconds / 1_000_000
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, Int(min(max(connect, 1), 2_000_000_000)))
        handle.set(CURLOPT_BUFFERSIZE, 64 << 10)
        handle.set(CURLOPT_TCP_KEEPALIVE, 1)
        let usesHTTP2 = configuration.allowsHTTP2 && run.url.scheme == .https && run.credential?.scheme != .ntlm
        handle.set(CURLOPT_HTTP_VERSION, usesHTTP2 ? cc_http_2_tls : cc_http_1_1)
        if usesHTTP2 { handle.set(CURLOPT_PIPEWAIT, 1) }
        if run.needsFreshConnection { handle.set(CURLOPT_FRESH_CONNECT, 1) }
        let context = Unmanaged.passUnretained(run).toOpaque()  // `active` holds it until the handle is taken out
        cc_set_write(handle.easy, writeBody, context)
        cc_set_header(handle.easy, writeHeader, context)
        if request.blocksPrivateAddresses {
            cc_set_open_socket(handle.easy, openSocket, context)
            cc_set_before_request(handle.easy, beforeRequest, context)
        }
        configureMethod(handle, run)
        handle.set(CURLOPT_HTTPHEADER, list: headerLines(run))
        configureTLS(handle, request)
        configureProxy(handle, request)
        configureCredential(handle, run)
        if let address = request.addressOverrides[run.url.bareHost] ?? configuration.resolve(run.url.bareHost) {
            let port = run.url.port ?? run.url.scheme.defaultPort
            handle.set(CURLOPT_CONNECT_TO, list: ["\(run.url.host):\(port):\(address):\(port)"])
        }
    }

    private func configureMethod(_ handle: CurlHandle, _ run: TransferRun) {
        if run.method == "HEAD" {
            handle.set(CURLOPT_NOBODY, 1)
        } else if run.sendsBody, let body = run.request.body, !body.isEmpty {
            cc_set_offset(handle.easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            body.withUnsafeBytes { bytes in
                // libcurl copies as many bytes as the size says.
                _ = cc_set_pointer(
                    handle.easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            }
            handle.set(CURLOPT_CUSTOMREQUEST, run.method)
        } else if run.method != "GET" {
            handle.set(CURLOPT_CUSTOMREQUEST, run.method)
            if run.method == "POST" || run.method == "PUT" {
                cc_set_offset(handle.easy, CURLOPT_POSTFIELDSIZE_LARGE, 0)
                handle.set(CURLOPT_COPYPOSTFIELDS, "")
            }
        }
    }

    private func headerLines(_ run: TransferRun) -> [String] {
        var headers = run.headers
        func setDefault(_ name: String, _ value: String) {
            if !headers.contains(name) { headers.add(name, value) }
        }
        setDefault("Accept", configuration.accept)
        setDefault("User-Agent", configuration.userAgent)
        if let validators = run.request.validators, validators.url == run.url.absoluteString {
            headers = headers.replacing(with: validators.headers)
        }
        run.hop.isConditional = headers.contains("If-None-Match") || headers.contains("If-Modified-Since")
        if run.receivedCount > 0, let point = run.resumePoint, point.url == run.url.absoluteString {
            // A range of a compressed body would be a range of the compressed form.
            run.hop.rangeStart = run.receivedCount
            headers["Range"] = "bytes=\(run.receivedCount)-"
            headers["If-Range"] = point.validator.text
            headers["Accept-Encoding"] = "identity"
        } else {
            setDefault("Accept-Encoding", headers.contains("Range") ? "identity" : ContentDecoder.accepted)
        }
        if let jar = run.request.cookies, let cookies = jar.header(for: run.url) {
            headers["Cookie"] = headers["Cookie"].map { $0 + "; " + cookies } ?? cookies
        }
        var lines = headers.fields.map { $0.value.isEmpty ? $0.name + ";" : $0.name + ": " + $0.value }
        if run.sendsBody || run.method == "POST" || run.method == "PUT" {
            // Without these libcurl would wait for a "100 Continue" and declare the body a form.
            lines.append("Expect:")
            if !headers.contains("Content-Type") { lines.append("Content-Type:") }
        }
        return lines
    }

    private func configureTLS(_ handle: CurlHandle, _ request: DownloadRequest) {
        handle.set(CURLOPT_SSLVERSION, cc_tls_1_2)
        // With a folder of certificates libcurl parses the whole bundle again for every connection, 20 ms each.
        handle.set(CURLOPT_CAPATH, nil)
        if let file = request.certificateAuthorityFile ?? configuration.certificateAuthorityFile {
            handle.set(CURLOPT_CAINFO, file)
        }
        if request.allowsInvalidCertificates {
            handle.set(CURLOPT_SSL_VERIFYPEER, 0)
            handle.set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        if let certificate = request.clientCertificate {
            handle.set(CURLOPT_SSLCERT, certificate.certificateFile)
            handle.set(CURLOPT_SSLCERTTYPE, certificate.format.rawValue)
            if certificate.format == .pem {
                handle.set(CURLOPT_SSLKEY, certificate.keyFile ?? certificate.certificateFile)
            }
            if let password = certificate.password { handle.set(CURLOPT_KEYPASSWD, password) }
        }
    }

    private func configureProxy(_ handle: CurlHandle, _ request: DownloadRequest) {
        switch request.proxy {
        case .environment:
            // Addresses can be checked only when this machine connects to them itself.
            if request.blocksPrivateAddresses { handle.set(CURLOPT_PROXY, "") }
        case .none: handle.set(CURLOPT_PROXY, "")
        case .url(let text, let credential):
            handle.set(CURLOPT_PROXY, text)
            if let credential {
                handle.set(CURLOPT_PROXYUSERNAME, credential.user)
                handle.set(CURLOPT_PROXYPASSWORD, credential.password)
                handle.set(CURLOPT_PROXYAUTH, credential.scheme.mask)
            }
        }
    }

    private func configureCredential(_ handle: CurlHandle, _ run: TransferRun) {
        guard let credential = run.credential, run.url.origin == run.credentialOrigin,
            !run.headers.contains("Authorization")
        else { return }
        handle.set(CURLOPT_USERNAME, credential.user)
        handle.set(CURLOPT_PASSWORD, credential.password)
        handle.set(CURLOPT_HTTPAUTH, credential.scheme.mask)
    }
}

extension HTTPCredential.Scheme {
    var mask: Int {
        switch self {
        case .basic: cc_auth_basic
        case .digest: cc_auth_digest
        case .ntlm: cc_auth_ntlm
        case .any: cc_auth_any
        }
    }
}

// libcurl's callbacks. The context is the run, which the loop keeps alive while its handle is in libcurl.

private let writeBody: cc_data_function = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let run = Unmanaged<TransferRun>.fromOpaque(context).takeUnretainedValue()
    return run.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
}

private let writeHeader: cc_data_function = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let run = Unmanaged<TransferRun>.fromOpaque(context).takeUnretainedValue()
    return run.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
}

/// Called before a socket is opened: no byte goes to a forbidden address.
private let openSocket: curl_opensocket_callback = { context, _, address in
    guard let context, let address else { return CURL_SOCKET_BAD }
    let run = Unmanaged<TransferRun>.fromOpaque(context).takeUnretainedValue()
    let family = address.pointee.family
    let found = withUnsafePointer(to: &address.pointee.addr) { pointer -> InternetAddress? in
        let raw = UnsafeRawPointer(pointer)
        switch family {
        case AF_INET:
            return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) {
                InternetAddress(networkBytes: $0)
            }
        case AF_INET6:
            return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) {
                InternetAddress(networkBytes: $0)
            }
        default: return nil
        }
    }
    guard run.permits(found) else { return CURL_SOCKET_BAD }
    #if canImport(Glibc)
        return socket(family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), address.pointee.`protocol`)
    #else
        return socket(family, address.pointee.socktype, address.pointee.`protocol`)
    #endif
}

/// Called before a request is sent on a connection, which another request may have opened.
private let beforeRequest: curl_prereq_callback = { context, remote, _, _, _ in
    guard let context, let remote else { return CURL_PREREQFUNC_ABORT }
    let run = Unmanaged<TransferRun>.fromOpaque(context).takeUnretainedValue()
    return run.permits(InternetAddress(String(cString: remote))) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

extension TransferRun {
    /// Returns whether the request may connect to an address, and records a blocked one. `nil` is an unknown kind.
    fileprivate func permits(_ address: InternetAddress?) -> Bool {
        if let address, !transfer.engine.configuration.forbids(address) { return true }
        hop.blockedAddress = address?.description ?? "an address that is neither IPv4 nor IPv6"
        return false
    }
}
