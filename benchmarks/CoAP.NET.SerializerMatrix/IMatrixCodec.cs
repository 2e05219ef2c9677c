namespace CoAP.NET.Benchmarks;

/// <summary>A codec that a benchmark measures by four methods. Its type of messages may be its own.</summary>
/// <remarks>
/// Implement it for a codec of another library. A codec that only knows arrays reads a stream into an array first and writes an array to a
/// stream, as its users have to.
/// </remarks>
/// <typeparam name="TMessage">The codec's type of messages.</typeparam>
public interface IMatrixCodec<TMessage>
{
    /// <summary>Makes the codec's message of one of the library.</summary>
    /// <remarks>Called before the measurement, once for each message.</remarks>
    /// <param name="message">The message of the library.</param>
    /// <returns>The same message in the codec's type.</returns>
    TMessage Convert(CoapMessage message);

    /// <summary>Reads a message from a span.</summary>
    /// <param name="source">Exactly one message.</param>
    /// <returns>The message; it must not refer to the span.</returns>
    TMessage Deserialize(ReadOnlySpan<byte> source);

    /// <summary>Reads a message from a stream, asynchronously.</summary>
    /// <param name="source">A stream with exactly one message.</param>
    /// <returns>The message.</returns>
    ValueTask<TMessage> DeserializeAsync(Stream source);

    /// <summary>Writes a message into a new array.</summary>
    /// <param name="message">The message.</param>
    /// <returns>The bytes.</returns>
    byte[] Serialize(TMessage message);

    /// <summary>Writes a message to a stream, asynchronously.</summary>
    /// <param name="destination">The stream; it has room for the message.</param>
    /// <param name="message">The message.</param>
    /// <returns>A task that completes when the message is written.</returns>
    ValueTask SerializeAsync(Stream destination, TMessage message);
}
