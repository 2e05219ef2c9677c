using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;

namespace CoAP.NET.Serialization;

/// <summary>
/// Base class for message formats of your own: a codec reads one message from the beginning of a sequence and writes one into a buffer
/// writer, and this class makes all members of <see cref="ICoapMessageSerializer"/> from these two. Override <see cref="GetSize"/> and the
/// other members where your format can do better. Implementations must be thread-safe and keep nothing between calls.
/// </summary>
public abstract class CoapCodec : ICoapMessageSerializer
{
    private const int FirstBuffer = 256;

    /// <summary>
    /// Whether a message ends where its source ends, as in datagrams. Default false: the bytes themselves say where it ends.
    /// </summary>
    protected virtual bool EndsWithSource => false;

    /// <summary>The largest message that is read from streams and pipes, in bytes. Default 1 MiB.</summary>
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
            error = new CoapFormatError(CoapFormatRule.TrailingBytes, length);
            return false;
        }

        message = null;
        error = error.IsNone ? new CoapFormatError(CoapFormatRule.EndOfStream, source.Length) : error;
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
                // The pipe takes its memory back, so what the caller gets is read from a copy.
                byte[] own = buffer.Slice(0, end).ToArray();
                source.AdvanceTo(end);
                return Deserialize(own.AsMemory());
            }

            error = !error.IsNone ? error
                : buffer.Length > MaxMessageSize ? new CoapFormatError(CoapFormatRule.MessageTooLarge, MaxMessageSize)
                : result.IsCompleted ? new CoapFormatError(CoapFormatRule.EndOfStream, buffer.Length)
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

    /// <summary>The number of bytes that a message takes. By default it is written and counted.</summary>
    /// <param name="message">The message.</param>
    /// <returns>The number of bytes.</returns>
    /// <exception cref="ArgumentException">The format has no form for the message.</exception>
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

    /// <summary>
    /// Reads a message from the beginning of a sequence. Never throws for what the bytes say. The message may keep references to the bytes.
    /// </summary>
    /// <param name="source">The bytes; more than one message may follow.</param>
    /// <param name="isWhole">Whether nothing follows, so that missing bytes are an error.</param>
    /// <param name="message">The message; null when there is none.</param>
    /// <param name="consumed">The end of the message.</param>
    /// <param name="error">The rule that broke; none when more bytes are needed.</param>
    /// <returns>Whether there is a message.</returns>
    protected abstract bool TryRead(
        in ReadOnlySequence<byte> source, bool isWhole, [NotNullWhen(true)] out CoapMessage? message, out SequencePosition consumed,
        out CoapFormatError error);

    /// <summary>
    /// How many bytes a message needs at least beyond those that are there: that many are read from a stream at once, and no byte of the
    /// next message. Not asked when <see cref="EndsWithSource"/>.
    /// </summary>
    /// <param name="beginning">The bytes that are there: the beginning of a message for which <see cref="TryRead"/> needs more, or
    /// none.</param>
    /// <returns>The number of bytes, at least 1. Default 1, which is right for every format and slow on streams that are not
    /// buffered.</returns>
    protected virtual int BytesMissing(ReadOnlySpan<byte> beginning) => 1;

    /// <summary>Writes a message.</summary>
    /// <param name="destination">Where to.</param>
    /// <param name="message">The message; never null.</param>
    /// <exception cref="ArgumentException">The format has no form for the message.</exception>
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
        if (input.Length + (long)wanted > MaxMessageSize + 1L)
        {
            wanted = MaxMessageSize + 1 - input.Length;
        }

        if (input.Length + wanted > input.Bytes.Length)
        {
            Array.Resize(ref input.Bytes, Math.Max(input.Length + wanted, Math.Min(input.Bytes.Length * 2, MaxMessageSize + 1)));
        }

        return input.Bytes.AsMemory(input.Length, wanted);
    }

    // The message when it is whole; null when more is to be read.
    private CoapMessage? TryTake(ref Input input, int read, int wanted)
    {
        input.Length += read;
        bool isEnd = read < wanted;
        if (input.Length > MaxMessageSize)
        {
            throw new CoapFormatException(new CoapFormatError(CoapFormatRule.MessageTooLarge, MaxMessageSize));
        }

        ReadOnlySequence<byte> bytes = new(input.Bytes, 0, input.Length);
        CoapFormatError error = default;
        if ((!EndsWithSource || isEnd) && TryRead(in bytes, isEnd, out CoapMessage? message, out SequencePosition end, out error))
        {
            long length = bytes.Slice(0, end).Length;
            return length == input.Length
                ? message
                : throw new CoapFormatException(new CoapFormatError(CoapFormatRule.TrailingBytes, length));
        }

        return error.IsNone && !isEnd ? null
            : throw new CoapFormatException(error.IsNone ? new CoapFormatError(CoapFormatRule.EndOfStream, input.Length) : error);
    }

    private struct Input
    {
        public byte[] Bytes;
        public int Length;
    }
}
