import CJPEG
import Foundation
import Testing

/// Baseline files with whatever sampling, restart interval and colour model, made by libjpeg's encoder.
struct JPEGSamples: CustomTestStringConvertible {
    enum Model { case gray, rgb, ycc }

    var model = Model.ycc
    /// Of the first component; the others have 1×1.
    var sampling = (across: 1, down: 1)
    var restartInterval = 0
    var isProgressive = false

    var testDescription: String {
        "\(model) \(sampling.across)x\(sampling.down), restart \(restartInterval)\(isProgressive ? ", progressive" : "")"
    }

    /// Soft shapes with some noise in them.
    func encoded(width: Int, height: Int, quality: Int = 85) -> Data {
        let channels = model == .gray ? 1 : 3
        var generator = SeededGenerator(state: 11)
        var rows = [UInt8](repeating: 0, count: width * height * channels)
        for y in 0..<height {
            for x in 0..<width {
                for channel in 0..<channels {
                    let wave = sin(Double(x) / Double(11 + channel * 5)) * cos(Double(y) / Double(17 - channel * 3))
                    let noise = Double(generator.next() % 24)
                    rows[(y * width + x) * channels + channel] = UInt8(max(0, min(255, 118 + wave * 90 + noise)))
                }
            }
        }
        return compressed(&rows, width, height, channels, quality)
    }

    private func compressed(_ rows: inout [UInt8], _ width: Int, _ height: Int, _ channels: Int, _ quality: Int) -> Data
    {
        var info = jpeg_compress_struct()
        var errors = jpeg_error_mgr()
        return withUnsafeMutablePointer(to: &errors) { errors in
            info.err = jpeg_std_error(errors)
            jpeg_CreateCompress(&info, JPEG_LIB_VERSION, MemoryLayout<jpeg_compress_struct>.size)
            defer { jpeg_destroy_compress(&info) }
            var output: UnsafeMutablePointer<UInt8>?
            var length: UInt = 0
            jpeg_mem_dest(&info, &output, &length)
            defer { free(output) }
            info.image_width = JDIMENSION(width)
            info.image_height = JDIMENSION(height)
            info.input_components = Int32(channels)
            info.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB
            jpeg_set_defaults(&info)
            jpeg_set_colorspace(&info, model == .gray ? JCS_GRAYSCALE : model == .rgb ? JCS_RGB : JCS_YCbCr)
            jpeg_set_quality(&info, Int32(quality), 1)
            for component in 0..<channels {
                info.comp_info[component].h_samp_factor = component == 0 ? Int32(sampling.across) : 1
                info.comp_info[component].v_samp_factor = component == 0 ? Int32(sampling.down) : 1
            }
            info.restart_interval = UInt32(restartInterval)
            if isProgressive { jpeg_simple_progression(&info) }
            jpeg_start_compress(&info, 1)
            rows.withUnsafeMutableBufferPointer { rows in
                for y in 0..<height {
                    var row: UnsafeMutablePointer<UInt8>? = rows.baseAddress.map { $0 + y * width * channels }
                    jpeg_write_scanlines(&info, &row, 1)
                }
            }
            jpeg_finish_compress(&info)
            return output.map { Data(bytes: $0, count: Int(length)) } ?? Data()
        }
    }
}
