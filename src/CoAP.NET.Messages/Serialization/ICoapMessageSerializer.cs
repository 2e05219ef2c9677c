using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;

namespace CoAP.NET;

/// <summary>Reads and writes messages in one wire format, synchronously and asynchronously.</summary>
/// <remarks>Thread-safe; keeps nothing between calls.</remarks>
public interface ICoapMessageSerializer
{
    /// <summary>Reads a message from a span; its bytes are copied once.</summary>
    /// <param name="source">Exactly one message.</param>
    /// <returns>The message.</returns>
    /// <exception cref="CoapFormatException">The bytes are not a message.</exception>
    CoapMessage Deserialize(ReadOnlySpan<byte> source);

    /// <summary>Reads a message from memory without copying; the memory must not change while the message is used.</summary>
    /// <param name="source">Exactly one message.</param>
    /// <returns>The message.</returns>
    /// <exception cref="CoapFormatException">The bytes are not a message.</exception>
    CoapMessage Deserialize(ReadOnlyMemory<byte> source);

    /// <summary>Reads a message from a span; its bytes are copied once.</summary>
    /// <remarks>Never throws for what the bytes say.</remarks>
    /// <param name="source">Exactly one message.</param>
    /// <param name="message">The message, or null.</param>
    /// <param name="error">The rule that broke, or none.</param>
    /// <returns>Whether there is a message.</returns>
    bool TryDeserialize(ReadOnlySpan<byte> source, [NotNullWhen(true)] out CoapMessage? message, out CoapFormatError error);

    /// <summary>Reads a message from memory without copying; the memory must not change while the message is used.</summary>
    /// <remarks>Never throws for what the bytes say.</remarks>
    /// <param name="source">Exactly one message.</param>
    /// <param name="message">The message, or null.</param>
    /// <param name="error">The rule that broke, or none.</param>
    /// <returns>Whether there is a message.</returns>
    bool TryDeserialize(ReadOnlyMemory<byte> source, [NotNullWhen(true)] out CoapMessage? message, out CoapFormatError error);

    /// <summary>Reads a message from the beginning of a sequence.</summary>
    /// <remarks>
    /// A message that is in one segment is not copied, so the segment must not change while the message is used; one that spans several
    /// is joined by one copy.
    /// </remarks>
    /// <param name="source">The bytes; in a stream format more than one message may follow, or less than one be there.</param>
    /// <param name="message">The message; null when there is none, or not all of it yet.</param>
    /// <param name="consumed">The end of the message; the beginning of the source when there is none.</param>
    /// <param name="error">The rule that broke; none when more bytes are needed.</param>
    /// <returns>Whether there is a message. When not, and there is no error, call again with more bytes.</returns>
    bool TryDeserialize(ReadOnlySequence<byte> source, [NotNullWhen(true)] out CoapMessage? message, out SequencePosition consumed,
        out CoapFormatError error);

    /// <summary>Reads a message from a stream synchronously.</summary>
    /// <remarks>The message keeps its own copy of the bytes.</remarks>
    /// <param name="source">The stream. A datagram format reads to its end; a stream format reads one message and no byte more.</param>
    /// <returns>The message.</returns>
    /// <exception cref="CoapFormatException">The bytes are not a message, or the stream ended within one.</exception>
    CoapMessage Deserialize(Stream source);

    /// <summary>Reads a message from a stream; completes synchronously when the bytes are there.</summary>
    /// <remarks>The message keeps its own copy of the bytes.</remarks>
    /// <param name="source">The stream. A datagram format reads to its end; a stream format reads one message and no byte more.</param>
    /// <param name="cancellationToken">Stops reading.</param>
    /// <returns>The message.</returns>
    /// <exception cref="CoapFormatException">The bytes are not a message, or the stream ended within one.</exception>
    /// <exception cref="OperationCanceledException">Reading was stopped.</exception>
    ValueTask<CoapMessage> DeserializeAsync(Stream source, CancellationToken cancellationToken = default);

    /// <summary>Reads a message from a pipe and advances the pipe past it; completes synchronously when the bytes are there.</summary>
    /// <remarks>The message keeps its own copy of the bytes. Nothing is consumed before the message is whole and valid.</remarks>
    /// <param name="source">The pipe. A datagram format reads to its completion; a stream format reads one message.</param>
    /// <param name="cancellationToken">Stops reading.</param>
    /// <returns>The message.</returns>
    /// <exception cref="CoapFormatException">The bytes are not a message, or the pipe was completed within one.</exception>
    /// <exception cref="OperationCanceledException">Reading was stopped, or <see cref="PipeReader.CancelPendingRead"/> was
    /// called.</exception>
    ValueTask<CoapMessage> DeserializeAsync(PipeReader source, CancellationToken cancellationToken = default);

    /// <summary>The number of bytes that a message takes.</summary>
    /// <param name="message">The message.</param>
    /// <returns>The number of bytes.</returns>
    /// <exception cref="ArgumentException">The format has no form for the message: an option value above 65,804 bytes, a reserved code
    /// class, an Empty message that is not empty.</exception>
    long GetSize(CoapMessage message);

    /// <summary>Writes a message into a new array.</summary>
    /// <param name="message">The message.</param>
    /// <returns>The bytes.</returns>
    /// <exception cref="ArgumentException">The format has no form for the message: an option value above 65,804 bytes, a reserved code
    /// class, an Empty message that is not empty.</exception>
    byte[] Serialize(CoapMessage message);

    /// <summary>Writes a message into a buffer writer.</summary>
    /// <param name="destination">The buffer writer.</param>
    /// <param name="message">The message.</param>
    /// <returns>The number of bytes written.</returns>
    /// <exception cref="ArgumentException">The format has no form for the message: an option value above 65,804 bytes, a reserved code
    /// class, an Empty message that is not empty.</exception>
    int Serialize(IBufferWriter<byte> destination, CoapMessage message);

    /// <summary>Writes a message into a span if it fits.</summary>
    /// <param name="destination">The span.</param>
    /// <param name="message">The message.</param>
    /// <param name="written">The number of bytes written; 0 when it does not fit.</param>
    /// <returns>Whether it fits.</returns>
    /// <exception cref="ArgumentException">The format has no form for the message: an option value above 65,804 bytes, a reserved code
    /// class, an Empty message that is not empty.</exception>
    bool TrySerialize(Span<byte> destination, CoapMessage message, out int written);

    /// <summary>Writes a message into a stream synchronously, without holding a copy of the payload.</summary>
    /// <param name="destination">The stream.</param>
    /// <param name="message">The message.</param>
    /// <exception cref="ArgumentException">The format has no form for the message: an option value above 65,804 bytes, a reserved code
    /// class, an Empty message that is not empty.</exception>
    void Serialize(Stream destination, CoapMessage message);

    /// <summary>
    /// Writes a message into a stream: header and options from one pooled buffer, the payload, unless it is small, from where it lies.
    /// </summary>
    /// <param name="destination">The stream.</param>
    /// <param name="message">The message.</param>
    /// <param name="cancellationToken">Stops writing.</param>
    /// <returns>A task that completes when all bytes were written.</returns>
    /// <exception cref="ArgumentException">The format has no form for the message: an option value above 65,804 bytes, a reserved code
    /// class, an Empty message that is not empty.</exception>
    ValueTask SerializeAsync(Stream destination, CoapMessage message, CancellationToken cancellationToken = default);

    /// <summary>
    /// Writes a message to a pipe and flushes it; a large one in parts, so that backpressure of a slow reader stops the writer.
    /// </summary>
    /// <param name="destination">The pipe.</param>
    /// <param name="message">The message.</param>
    /// <param name="cancellationToken">Stops writing.</param>
    /// <returns>A task that completes when the pipe accepted the bytes. After the reader completed, the bytes are dropped, as usual for
    /// pipes.</returns>
    /// <exception cref="ArgumentException">The format cannot encode the message: an option value above 65,804 bytes, a reserved code class,
    /// an Empty message that is not empty.</exception>
    ValueTask SerializeAsync(PipeWriter destination, CoapMessage message, CancellationToken cancellationToken = default);
}
