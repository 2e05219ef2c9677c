namespace CoAP.NET;

/// <summary>
/// A Content-Format in which bound handlers take bodies and return results, besides JSON and CBOR. For implementation by applications.
/// </summary>
/// <remarks>
/// Register it with <c>services.AddCoapFormatter(...)</c>, or in <see cref="CoapJsonOptions.Formatters"/> of a route or a group. Several
/// requests may call it at the same time.
/// </remarks>
public interface ICoapFormatter
{
    /// <summary>The Content-Format (RFC 7252 section 12.3); 65000 to 65535 are for experiments.</summary>
    /// <remarks>For JSON and CBOR (50, 60) the formatter replaces the built-in conversion of its types.</remarks>
    CoapContentFormat Format { get; }

    /// <summary>Whether it reads bodies of a type.</summary>
    /// <param name="type">The type of the parameter.</param>
    /// <returns>True if <see cref="Read"/> supports the type.</returns>
    bool CanRead(Type type);

    /// <summary>Whether it writes results of a type.</summary>
    /// <param name="type">The type that the handler declares as its result; the type of the value if it declares <c>object</c>.</param>
    /// <returns>True if <see cref="Write"/> supports the type.</returns>
    bool CanWrite(Type type);

    /// <summary>Reads a body.</summary>
    /// <param name="payload">The body, at least one byte. Its memory is valid until the request has been answered.</param>
    /// <param name="type">A type for which <see cref="CanRead"/> is true.</param>
    /// <returns>The value, of that type; null counts as a missing body.</returns>
    /// <exception cref="CoapContentException">
    /// The body is malformed. The server answers <see cref="CoapContentException.Code"/> with the message. A <see cref="FormatException"/>
    /// becomes 4.00 without its message, which may contain text of the peer. Other exceptions are those of the handler: 5.00.
    /// </exception>
    object? Read(ReadOnlyMemory<byte> payload, Type type);

    /// <summary>Writes a result.</summary>
    /// <param name="value">The value.</param>
    /// <param name="type">A type for which <see cref="CanWrite"/> is true.</param>
    /// <returns>The payload. Do not change its memory later.</returns>
    ReadOnlyMemory<byte> Write(object value, Type type);
}
