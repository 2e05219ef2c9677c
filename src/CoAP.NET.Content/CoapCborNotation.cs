using CoAP.NET.Content.Cbor;

namespace CoAP.NET;

/// <summary>CBOR in diagnostic notation (RFC 8949 section 8), for logs and for people.</summary>
public static class CoapCborNotation
{
    /// <summary>
    /// Writes CBOR in diagnostic notation, such as <c>{1: "a", 2: h'0102'}</c>. Bytes of strangers are welcome: items may lie 64 deep in
    /// each other, and the text grows with the bytes. Control characters in texts are escaped, so the notation is fit for logs and
    /// terminals.
    /// </summary>
    /// <param name="cbor">One item, or a sequence of any number (RFC 8742).</param>
    /// <param name="notation">The notation, items of a sequence on lines of their own; when the bytes are no CBOR, that of the items before
    /// the error.</param>
    /// <param name="error">What is wrong with the bytes; <c>default</c> when nothing is.</param>
    /// <param name="width">The characters that a line may have before arrays and maps are laid out over several lines. Default: all in one
    /// line.</param>
    /// <param name="isSequence">Whether several items may follow each other, as in <c>application/cbor-seq</c>. Default false.</param>
    /// <returns>Whether all of it is well-formed.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The width is not positive.</exception>
    public static bool TryFormat(ReadOnlySpan<byte> cbor, out string notation, out CoapCborError error, int width = int.MaxValue,
        bool isSequence = false)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(width);
        bool isRead = CborDiagnostics.TryFormat(cbor, out notation, out ContentFault fault, width, isSequence);
        error = isRead ? default : new CoapCborError(fault.Offset, fault.Message);
        return isRead;
    }
}
