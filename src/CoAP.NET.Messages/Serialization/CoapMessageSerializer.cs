using CoAP.NET.Serialization;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;

namespace CoAP.NET;

/// <summary>The base class of the wire formats: everything except the header.</summary>
/// <remarks>
/// Use <see cref="CoapDatagramSerializer"/>, <see cref="CoapStreamSerializer"/> or <see cref="CoapWebSocketSerializer"/>.
/// </remarks>
public abstract class CoapMessageSerializer : ICoapMessageSerializer
{
    /// <summary>The most bytes before the token, in any format.</summary>
    internal const int LongestHeader = 8;

    private const int SmallMessage = 256;

    private protected CoapMessageSerializer(CoapSerializerOptions? options, long defaultMaxMessageSize)
    {
        Options = (options ?? new CoapSerializerOptions()).MakeReadOnlyFor("a serializer");

        // One less than an array holds, so that one byte too many can be told from just enough.
        MaxMessageSize = Math.Min(Options.MaxMessageSize ?? defaultMaxMessageSize, Array.MaxLength - 1);
    }

    internal CoapSerializerOptions Options { get; }

    internal long MaxMessageSize { get; }

    /// <summary>Whether a message ends where its source ends, as in datagrams, and not where its header says.</summary>
    internal abstract bool EndsWithSource { get; }

    /// <inheritdoc/>
    public CoapMessage Deserialize(ReadOnlySpan<byte> source) =>
        TryDeserialize(source, out CoapMessage? message, out CoapFormatError error) ? message : throw new CoapFormatException(error);

    /// <inheritdoc/>
    public CoapMessage Deserialize(ReadOnlyMemory<byte> source) =>
        TryDeserialize(source, out CoapMessage? message, out CoapFormatError error) ? message : throw new CoapFormatException(error);

    /// <inheritdoc/>
    public bool TryDeserialize(ReadOnlySpan<byte> source, [NotNullWhen(true)] out CoapMessage? message, out CoapFormatError error) =>
        TryRead(source, default, copy: true, out message, out error);

    /// <inheritdoc/>
    public bool TryDeserialize(ReadOnlyMemory<byte> source, [NotNullWhen(true)] out CoapMessage? message, out CoapFormatError error) =>
        TryRead(source.Span, source, copy: false, out message, out error);

    /// <inheritdoc/>
    public bool TryDeserialize(ReadOnlySequence<byte> source, [NotNullWhen(true)] out CoapMessage? message, out SequencePosition consumed,
        out CoapFormatError error) =>
            TryRead(in source, copy: false, out message, out consumed, out error);

    /// <inheritdoc/>
    public CoapMessage Deserialize(Stream source)
    {
        ArgumentNullException.ThrowIfNull(source);
        if (TryReadBuffered(source, out CoapMessage? message, out CoapFormatError error))
        {
            return message ?? throw new CoapFormatException(error);
        }

        return MessageReader.Read(this, source);
    }

    /// <inheritdoc/>
    public ValueTask<CoapMessage> DeserializeAsync(Stream source, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<CoapMessage>(cancellationToken);
        }

        if (!MessageReader.NeverWaits(source))
        {
            return MessageReader.ReadAsync(this, source, cancellationToken);
        }

        try
        {
            return new ValueTask<CoapMessage>(Deserialize(source));
        }
        catch (Exception exception) when (exception is CoapFormatException or ObjectDisposedException)
        {
            return ValueTask.FromException<CoapMessage>(exception);
        }
    }

    /// <inheritdoc/>
    public ValueTask<CoapMessage> DeserializeAsync(PipeReader source, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<CoapMessage>(cancellationToken)
            : MessageReader.ReadAsync(this, source, cancellationToken);
    }

    /// <summary>
    /// Reads header and token length, and checks all their rules. The result for a beginning holds for every continuation.
    /// </summary>
    /// <param name="first">The beginning of the message: all of it, or at least <see cref="LongestHeader"/> bytes.</param>
    /// <param name="available">The number of available bytes.</param>
    /// <param name="head">The result; of length 0 if more bytes are needed.</param>
    /// <returns>The violated rule, or none.</returns>
    private protected abstract CoapFormatError ReadHead(ReadOnlySpan<byte> first, long available, out MessageHead head);

    /// <summary>Reads header and token length.</summary>
    /// <param name="first">The beginning of the message: all of it, or at least <see cref="LongestHeader"/> bytes.</param>
    /// <param name="available">The number of available bytes.</param>
    /// <param name="head">The result.</param>
    /// <param name="error">The violated rule; none if more bytes are needed.</param>
    /// <returns>Whether the head is complete.</returns>
    internal bool TryReadHead(ReadOnlySpan<byte> first, long available, out MessageHead head, out CoapFormatError error)
    {
        error = ReadHead(first, available, out head);
        return error.IsNone && head.Length > 0;
    }

    internal bool TryRead(in ReadOnlySequence<byte> source, bool copy, [NotNullWhen(true)] out CoapMessage? message,
        out SequencePosition consumed, out CoapFormatError error)
    {
        message = null;
        consumed = source.Start;
        if (!TryReadHead(in source, out MessageHead head, out error) || head.Length > source.Length)
        {
            return false;
        }

        ReadOnlySequence<byte> whole = source.Slice(0, head.Length);
        bool isRead = whole.IsSingleSegment
            ? TryRead(whole.FirstSpan, whole.First, copy, out message, out error)
            : TryReadParts(in whole, out message, out error);
        if (isRead)
        {
            consumed = whole.End;
        }

        return isRead;
    }

    internal bool TryReadHead(in ReadOnlySequence<byte> source, out MessageHead head, out CoapFormatError error)
    {
        ReadOnlySpan<byte> first = source.FirstSpan;
        if (source.IsSingleSegment || first.Length >= LongestHeader)
        {
            return TryReadHead(first, source.Length, out head, out error);
        }

        Span<byte> joined = stackalloc byte[LongestHeader];
        int length = (int)Math.Min(LongestHeader, source.Length);
        source.Slice(0, length).CopyTo(joined);
        return TryReadHead(joined[..length], source.Length, out head, out error);
    }

    /// <summary>Reads exactly one message.</summary>
    internal bool TryRead(ReadOnlySpan<byte> source, ReadOnlyMemory<byte> memory, bool copy, [NotNullWhen(true)] out CoapMessage? message,
        out CoapFormatError error)
    {
        message = null;
        if (!TryReadHead(source, source.Length, out MessageHead head, out error))
        {
            if (error.IsNone)
            {
                error = new CoapFormatError(CoapMessageFormatViolation.EndOfStream, source.Length);
            }

            return false;
        }

        if (head.Length != source.Length)
        {
            error = head.Length > source.Length
                ? new CoapFormatError(CoapMessageFormatViolation.EndOfStream, source.Length)
                : new CoapFormatError(CoapMessageFormatViolation.TrailingBytes, head.Length);
            return false;
        }

        return TryReadBody(in head, source, memory, copy, out message, out error);
    }

    // Reads options and payload behind a head. The message may keep the memory; not used when the bytes are copied: into one array for
    // options and payload, none when there are neither. Allocates nothing when a rule broke.
    private bool TryReadBody(in MessageHead head, ReadOnlySpan<byte> source, ReadOnlyMemory<byte> memory, bool copy,
        [NotNullWhen(true)] out CoapMessage? message, out CoapFormatError error)
    {
        ReadOnlySpan<byte> body = source[head.BodyOffset..];
        if (!OptionSequenceReader.TryMeasure(
            body, Options.MaxOptions, out OptionSequenceLayout shape, out CoapMessageFormatViolation rule, out int offset))
        {
            message = null;
            error = new CoapFormatError(rule, head.BodyOffset + offset);
            return false;
        }

        error = default;
        message = MakeHead(in head, source, shape.Count > 0 ? Options.Registry : null);
        if (body.IsEmpty)
        {
            return true;
        }

        // Without options the payload is all that is kept; with them, one block from the first option to the end.
        int from = shape.Count > 0 ? 0 : shape.PayloadOffset;
        ReadOnlyMemory<byte> kept = copy ? Copy(body[from..]) : memory[(head.BodyOffset + from)..];
        message.Payload = kept[(shape.PayloadOffset - from)..];
        if (shape.Count > 0)
        {
            OptionSequenceReader.Fill(kept[..shape.OptionsLength], shape.Count, message.Options);
        }

        return true;
    }

    /// <summary>A message of header and token alone.</summary>
    private protected static CoapMessage MakeHead(in MessageHead head, ReadOnlySpan<byte> source, CoapOptionRegistry? registry = null) =>
        new(head.Code, registry)
        {
            Type = head.Type,
            MessageId = head.MessageId,
            Token = new CoapToken(source.Slice(head.TokenOffset, head.TokenLength)),
        };

    private static byte[] Copy(ReadOnlySpan<byte> bytes)
    {
        byte[] copy = GC.AllocateUninitializedArray<byte>(bytes.Length);
        bytes.CopyTo(copy);
        return copy;
    }

    // Several segments are joined by one copy: on the stack when the message is small, so that an ACK in two pieces allocates no more than
    // in one.
    private bool TryReadParts(in ReadOnlySequence<byte> whole, [NotNullWhen(true)] out CoapMessage? message, out CoapFormatError error)
    {
        int length = (int)whole.Length;
        if (length <= SmallMessage)
        {
            Span<byte> small = stackalloc byte[SmallMessage];
            whole.CopyTo(small);
            return TryRead(small[..length], default, copy: true, out message, out error);
        }

        byte[] joined = GC.AllocateUninitializedArray<byte>(length);
        whole.CopyTo(joined);
        return TryRead(joined, joined, copy: false, out message, out error);
    }

    // A stream whose bytes are all in memory is read where they lie: no task, no buffer, one copy.
    private bool TryReadBuffered(Stream source, out CoapMessage? message, out CoapFormatError error)
    {
        message = null;
        error = default;
        if (source.GetType() != typeof(MemoryStream) || !((MemoryStream)source).TryGetBuffer(out ArraySegment<byte> buffer))
        {
            return false;
        }

        ReadOnlySpan<byte> rest = buffer.AsSpan((int)Math.Min(source.Position, buffer.Count));
        if (TryReadHead(rest, rest.Length, out MessageHead head, out _))
        {
            rest = rest[..(int)Math.Min(head.Length, rest.Length)];
        }

        if (TryRead(rest, default, copy: true, out message, out error))
        {
            source.Position += rest.Length;
        }

        return true;
    }

    /// <inheritdoc/>
    public long GetSize(CoapMessage message) => PlanChecked(message).Total;

    /// <inheritdoc/>
    public byte[] Serialize(CoapMessage message)
    {
        EncodedMessageSize plan = PlanChecked(message);
        byte[] bytes = GC.AllocateUninitializedArray<byte>(InOnePiece(in plan));
        Write(bytes, message, in plan);
        return bytes;
    }

    /// <inheritdoc/>
    public int Serialize(IBufferWriter<byte> destination, CoapMessage message)
    {
        ArgumentNullException.ThrowIfNull(destination);
        EncodedMessageSize plan = PlanChecked(message);
        int size = InOnePiece(in plan);
        Span<byte> span = destination.GetSpan(size);
        Write(span, message, in plan);
        destination.Advance(size);
        return size;
    }

    /// <inheritdoc/>
    public bool TrySerialize(Span<byte> destination, CoapMessage message, out int written)
    {
        EncodedMessageSize plan = PlanChecked(message);
        if (plan.Total > destination.Length)
        {
            written = 0;
            return false;
        }

        Write(destination, message, in plan);
        written = (int)plan.Total;
        return true;
    }

    /// <inheritdoc/>
    public void Serialize(Stream destination, CoapMessage message)
    {
        ArgumentNullException.ThrowIfNull(destination);
        MessageWriter.Write(this, destination, message, PlanChecked(message));
    }

    /// <inheritdoc/>
    public ValueTask SerializeAsync(Stream destination, CoapMessage message, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        EncodedMessageSize plan = PlanChecked(message);
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        if (!MessageReader.NeverWaits(destination))
        {
            return MessageWriter.WriteAsync(this, destination, message, plan, cancellationToken);
        }

        try
        {
            MessageWriter.Write(this, destination, message, in plan);
            return ValueTask.CompletedTask;
        }
        catch (Exception exception) when (exception is NotSupportedException or IOException or ObjectDisposedException)
        {
            return ValueTask.FromException(exception);
        }
    }

    /// <inheritdoc/>
    public ValueTask SerializeAsync(PipeWriter destination, CoapMessage message, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        EncodedMessageSize plan = PlanChecked(message);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled(cancellationToken)
            : MessageWriter.WriteAsync(this, destination, message, plan, cancellationToken);
    }

    /// <summary>Writes header and token.</summary>
    /// <param name="destination">At least <see cref="EncodedMessageSize.Head"/> bytes.</param>
    /// <param name="message">The message.</param>
    /// <param name="plan">Its sizes.</param>
    /// <returns>The bytes written.</returns>
    internal abstract int WriteHead(Span<byte> destination, CoapMessage message, in EncodedMessageSize plan);

    /// <summary>Writes a message into a span that it fits.</summary>
    internal void Write(Span<byte> destination, CoapMessage message, in EncodedMessageSize plan)
    {
        int at = WriteHead(destination, message, in plan);
        at += new OptionSequenceWriter(message.OptionsToRead).Write(destination[at..]);
        if (plan.Payload > 0)
        {
            destination[at] = OptionSequenceReader.PayloadMarker;
            message.Payload.Span.CopyTo(destination[(at + 1)..]);
        }
    }

    /// <summary>Adds the size of the header, and refuses what the header cannot say.</summary>
    /// <exception cref="ArgumentException">The format has no form for the message.</exception>
    private protected abstract EncodedMessageSize PlanHead(CoapMessage message, EncodedMessageSize plan);

    private static int InOnePiece(in EncodedMessageSize plan) => plan.Total <= Array.MaxLength
        ? (int)plan.Total
        : throw new ArgumentException($"The message takes {plan.Total} bytes, more than an array holds. Write it into a stream or a pipe.");

    private EncodedMessageSize PlanChecked(CoapMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);
        long options = OptionSequenceWriter.Measure(message.OptionsToRead);

        // A sender must not break the rules that it holds others to (RFC 7252 section 4.1).
        if (message.IsEmpty && (message.Token.Length > 0 || options > 0 || !message.Payload.IsEmpty))
        {
            throw new ArgumentException("An Empty message (0.00) has no token, no options and no payload (RFC 7252 section 4.1).",
                nameof(message));
        }

        return PlanHead(message, new EncodedMessageSize(options, message.Payload.Length));
    }
}
