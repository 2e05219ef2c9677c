using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;

namespace CoAP.NET;

/// <summary>
/// The base class of custom message formats: a codec reads one message from the beginning of a sequence and writes one into a buffer
/// writer, and this class implements all members of <see cref="ICoapMessageSerializer"/> with these two.
/// </summary>
/// <remarks>
/// Override <see cref="GetSize"/> and the other members if the format allows a faster implementation. Implementations must be thread-safe
/// and keep no state between calls.
/// </remarks>
public abstract class CoapCustomFormatSerializer : ICoapMessageSerializer
{
    private const int FirstBuffer = 256;

    /// <summary>Whether a message ends at the end of its source, as in datagrams.</summary>
    /// <remarks>Default false: the bytes themselves determine the end.</remarks>
    protected virtual bool EndsWithSource => false;

    /// <summary>The maximum size of a message from a stream or pipe, in bytes.</summary>
    /// <remarks>Default 1 MiB.</remarks>
    protected virtual int MaxMessageSize => 1024 * 1024;

    /// <inheritdoc/>
    public CoapMessage Deserialize(ReadOnlySpan<byte> source) =>
        TryDeserialize(source, out CoapMessage? message, out CoapFormatError error) ? message : throw new CoapFormatException(error);

    /// <inheritdoc/>
    public CoapMessage Deserialize(ReadOnlyMemory<byte> source) =>
        TryDeserialize(source, out CoapMessage? message, out CoapFormatError error) ? message : throw new CoapFormatException(error);

    /// <inheritdoc/>
    public bool TryDeserialize(ReadOnlySpan<byte> source, [NotNullWhen(true)] out CoapMessage? message, out CoapFormatError error) =>
        TryDeserialize((ReadOnlyMemory<byte>)source.ToArray(), out message, out error);

    /// <inheritdoc/>
    public bool TryDeserialize(ReadOnlyMemory<byte> source, [NotNullWhen(true)] out CoapMessage? message, out CoapFormatError error)
    {
        ReadOnlySequence<byte> bytes = new(source);
        if (TryRead(in bytes, isWhole: true, out message, out SequencePosition end, out error))
        {
            long length = bytes.Slice(0, end).Length;
            if (length == source.Length)
            {
                return true;
            }

            message = null;
            error = new CoapFormatError(CoapMessageFormatViolation.TrailingBytes, length);
            return false;
        }

        message = null;
        error = error.IsNone ? new CoapFormatError(CoapMessageFormatViolation.EndOfStream, source.Length) : error;
        return false;
    }

    /// <inheritdoc/>
    public bool TryDeserialize(
        ReadOnlySequence<byte> source, [NotNullWhen(true)] out CoapMessage? message, out SequencePosition consumed,
        out CoapFormatError error)
    {
        if (TryRead(in source, EndsWithSource, out message, out consumed, out error))
        {
            return true;
        }

        message = null;
        consumed = source.Start;
        return false;
    }

    /// <inheritdoc/>
    public CoapMessage Deserialize(Stream source)
    {
        ArgumentNullException.ThrowIfNull(source);
        Input input = default;
        while (true)
        {
            Memory<byte> room = RoomFor(ref input);
            int read = source.ReadAtLeast(room.Span, room.Length, throwOnEndOfStream: false);
            if (TryTake(ref input, read, room.Length) is { } message)
            {
                return message;
            }
        }
    }

    /// <inheritdoc/>
    public async ValueTask<CoapMessage> DeserializeAsync(Stream source, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        cancellationToken.ThrowIfCancellationRequested();
        Input input = default;
        while (true)
        {
            Memory<byte> room = RoomFor(ref input);
            int read = await source.ReadAtLeastAsync(room, room.Length, throwOnEndOfStream: false, cancellationToken).ConfigureAwait(false);
            if (TryTake(ref input, read, room.Length) is { } message)
            {
                return message;
            }
        }
    }

    /// <inheritdoc/>
    public async ValueTask<CoapMessage> DeserializeAsync(PipeReader source, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        while (true)
        {
            ReadResult result = await source.ReadAsync(cancellationToken).ConfigureAwait(false);
            ReadOnlySequence<byte> buffer = result.Buffer;
            CoapFormatError error = default;
            if ((!EndsWithSource || result.IsCompleted)
                && TryRead(in buffer, result.IsCompleted, out _, out SequencePosition end, out error))
            {
                // The pipe reuses its memory, so the message is read from a copy.
                byte[] own = buffer.Slice(0, end).ToArray();
                source.AdvanceTo(end);
                return Deserialize(own.AsMemory());
            }

            error = !error.IsNone ? error
                : buffer.Length > MaxMessageSize ? new CoapFormatError(CoapMessageFormatViolation.MessageTooLarge, MaxMessageSize)
                : result.IsCompleted ? new CoapFormatError(CoapMessageFormatViolation.EndOfStream, buffer.Length)
                : default;
            source.AdvanceTo(buffer.Start, buffer.End);
            if (!error.IsNone)
            {
                throw new CoapFormatException(error);
            }

            if (result.IsCanceled)
            {
                throw new OperationCanceledException("Reading from the pipe was cancelled by CancelPendingRead.");
            }
        }
    }

    /// <summary>Returns the encoded size of a message.</summary>
    /// <remarks>By default it encodes the message and counts the bytes.</remarks>
    /// <param name="message">The message.</param>
    /// <returns>The number of bytes.</returns>
    /// <exception cref="ArgumentException">The format cannot encode the message.</exception>
    public virtual long GetSize(CoapMessage message) => Written(message).WrittenCount;

    /// <inheritdoc/>
    public byte[] Serialize(CoapMessage message) => Written(message).WrittenSpan.ToArray();

    /// <inheritdoc/>
    public int Serialize(IBufferWriter<byte> destination, CoapMessage message)
    {
        ArgumentNullException.ThrowIfNull(destination);
        ArrayBufferWriter<byte> written = Written(message);
        destination.Write(written.WrittenSpan);
        return written.WrittenCount;
    }

    /// <inheritdoc/>
    public bool TrySerialize(Span<byte> destination, CoapMessage message, out int written)
    {
        ReadOnlySpan<byte> bytes = Written(message).WrittenSpan;
        bool fits = bytes.TryCopyTo(destination);
        written = fits ? bytes.Length : 0;
        return fits;
    }

    /// <inheritdoc/>
    public void Serialize(Stream destination, CoapMessage message)
    {
        ArgumentNullException.ThrowIfNull(destination);
        destination.Write(Written(message).WrittenSpan);
    }

    /// <inheritdoc/>
    public ValueTask SerializeAsync(Stream destination, CoapMessage message, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        return destination.WriteAsync(Written(message).WrittenMemory, cancellationToken);
    }

    /// <inheritdoc/>
    public async ValueTask SerializeAsync(PipeWriter destination, CoapMessage message, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        destination.Write(Written(message).WrittenSpan);
        FlushResult result = await destination.FlushAsync(cancellationToken).ConfigureAwait(false);
        if (result.IsCanceled)
        {
            throw new OperationCanceledException("Writing to the pipe was cancelled by CancelPendingFlush.");
        }
    }

    /// <summary>Reads a message from the beginning of a sequence.</summary>
    /// <remarks>Never throws because of the bytes. The message may keep references to the bytes.</remarks>
    /// <param name="source">The bytes; further messages may follow.</param>
    /// <param name="isWhole">Whether the source is complete, so that missing bytes are an error.</param>
    /// <param name="message">The message; null if there is none.</param>
    /// <param name="consumed">The end of the message.</param>
    /// <param name="error">The violated rule; none if more bytes are needed.</param>
    /// <returns>Whether there is a message.</returns>
    protected abstract bool TryRead(
        in ReadOnlySequence<byte> source, bool isWhole, [NotNullWhen(true)] out CoapMessage? message, out SequencePosition consumed,
        out CoapFormatError error);

    /// <summary>
    /// Returns the minimum number of further bytes that a message needs: this many are read from a stream at once, without a byte of the
    /// next message.
    /// </summary>
    /// <remarks>Not called with <see cref="EndsWithSource"/>.</remarks>
    /// <param name="beginning">The available bytes: the beginning of a message for which <see cref="TryRead"/> needs more, or none.</param>
    /// <returns>The number of bytes, at least 1. Default 1, which is correct for every format and slow on unbuffered streams.</returns>
    protected virtual int BytesMissing(ReadOnlySpan<byte> beginning) => 1;

    /// <summary>Writes a message.</summary>
    /// <param name="destination">The writer.</param>
    /// <param name="message">The message; never null.</param>
    /// <exception cref="ArgumentException">The format cannot encode the message.</exception>
    protected abstract void Write(IBufferWriter<byte> destination, CoapMessage message);

    private ArrayBufferWriter<byte> Written(CoapMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);
        ArrayBufferWriter<byte> writer = new(FirstBuffer);
        Write(writer, message);
        return writer;
    }

    private Memory<byte> RoomFor(ref Input input)
    {
        input.Bytes ??= new byte[FirstBuffer];
        int wanted = EndsWithSource
            ? Math.Max(1, input.Bytes.Length - input.Length)
            : Math.Max(1, BytesMissing(input.Bytes.AsSpan(0, input.Length)));

        // One more byte shows that a message is too large.
        int longest = (int)Math.Min(MaxMessageSize + 1L, Array.MaxLength);
        wanted = Math.Min(wanted, longest - input.Length);
        if (input.Length + wanted > input.Bytes.Length)
        {
            Array.Resize(ref input.Bytes, Math.Max(input.Length + wanted, (int)Math.Min(2L * input.Bytes.Length, longest)));
        }

        return input.Bytes.AsMemory(input.Length, wanted);
    }

    // Returns the message if it is complete; null if more bytes must be read.
    private CoapMessage? TryTake(ref Input input, int read, int wanted)
    {
        input.Length += read;
        bool isEnd = read < wanted;
        if (input.Length > MaxMessageSize)
        {
            throw new CoapFormatException(new CoapFormatError(CoapMessageFormatViolation.MessageTooLarge, MaxMessageSize));
        }

        ReadOnlySequence<byte> bytes = new(input.Bytes, 0, input.Length);
        CoapFormatError error = default;
        if ((!EndsWithSource || isEnd) && TryRead(in bytes, isEnd, out CoapMessage? message, out SequencePosition end, out error))
        {
            long length = bytes.Slice(0, end).Length;
            return length == input.Length
                ? message
                : throw new CoapFormatException(new CoapFormatError(CoapMessageFormatViolation.TrailingBytes, length));
        }

        return error.IsNone && !isEnd ? null
            : throw new CoapFormatException(
                error.IsNone ? new CoapFormatError(CoapMessageFormatViolation.EndOfStream, input.Length) : error);
    }

    private struct Input
    {
        public byte[] Bytes;
        public int Length;
    }
}
