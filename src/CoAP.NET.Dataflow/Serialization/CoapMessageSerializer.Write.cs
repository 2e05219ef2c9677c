using System.Buffers;
using System.IO.Pipelines;

namespace CoAP.NET.Serialization;

// The writing half.
public abstract partial class CoapMessageSerializer
{
    /// <inheritdoc/>
    public long GetSize(CoapMessage message) => PlanChecked(message).Total;

    /// <inheritdoc/>
    public byte[] Serialize(CoapMessage message)
    {
        MessagePlan plan = PlanChecked(message);
        byte[] bytes = GC.AllocateUninitializedArray<byte>(InOnePiece(in plan));
        Write(bytes, message, in plan);
        return bytes;
    }

    /// <inheritdoc/>
    public int Serialize(IBufferWriter<byte> destination, CoapMessage message)
    {
        ArgumentNullException.ThrowIfNull(destination);
        MessagePlan plan = PlanChecked(message);
        int size = InOnePiece(in plan);
        Span<byte> span = destination.GetSpan(size);
        Write(span, message, in plan);
        destination.Advance(size);
        return size;
    }

    /// <inheritdoc/>
    public bool TrySerialize(Span<byte> destination, CoapMessage message, out int written)
    {
        MessagePlan plan = PlanChecked(message);
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
        MessageStreamWriter.Write(this, destination, message, PlanChecked(message));
    }

    /// <inheritdoc/>
    public ValueTask SerializeAsync(Stream destination, CoapMessage message, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        MessagePlan plan = PlanChecked(message);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled(cancellationToken)
            : MessageStreamWriter.WriteAsync(this, destination, message, plan, cancellationToken);
    }

    /// <inheritdoc/>
    public ValueTask SerializeAsync(PipeWriter destination, CoapMessage message, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        MessagePlan plan = PlanChecked(message);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled(cancellationToken)
            : MessagePipeWriter.WriteAsync(this, destination, message, plan, cancellationToken);
    }

    /// <summary>Writes header and token.</summary>
    /// <param name="destination">At least <see cref="MessagePlan.Head"/> bytes.</param>
    /// <param name="message">The message.</param>
    /// <param name="plan">Its sizes.</param>
    /// <returns>The bytes written.</returns>
    internal abstract int WriteHead(Span<byte> destination, CoapMessage message, in MessagePlan plan);

    /// <summary>Writes a message into a span that it fits.</summary>
    internal void Write(Span<byte> destination, CoapMessage message, in MessagePlan plan)
    {
        int at = WriteHead(destination, message, in plan);
        at += new OptionBlockWriter(message).Write(destination[at..]);
        if (plan.Payload > 0)
        {
            destination[at] = OptionBlockReader.PayloadMarker;
            message.Payload.Span.CopyTo(destination[(at + 1)..]);
        }
    }

    /// <summary>Adds the size of the header, and refuses what the header cannot say.</summary>
    /// <param name="message">The message.</param>
    /// <param name="plan">The sizes of its options and payload.</param>
    /// <returns>The sizes of all parts.</returns>
    /// <exception cref="ArgumentException">The format has no form for the message.</exception>
    private protected abstract MessagePlan PlanHead(CoapMessage message, MessagePlan plan);

    private static int InOnePiece(in MessagePlan plan) => plan.Total <= Array.MaxLength
        ? (int)plan.Total
        : throw new ArgumentException($"The message takes {plan.Total} bytes, more than an array holds. Write it into a stream or a pipe.");

    private MessagePlan PlanChecked(CoapMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);
        long options = OptionBlockWriter.Measure(message, out int tooLong);
        if (tooLong >= 0)
        {
            throw new ArgumentException(
                $"The value of option {message.OptionsToRead!.NumberAt(tooLong)} has {message.OptionsToRead!.LengthAt(tooLong)} "
                    + $"bytes; {ExtendedField.MaxTwoBytes} is the most that an option can have (RFC 7252 section 3.1).",
                nameof(message));
        }

        // A sender must not break the rules that it holds others to (RFC 7252 section 4.1).
        if (message.IsEmpty && (message.Token.Length > 0 || options > 0 || !message.Payload.IsEmpty))
        {
            throw new ArgumentException("An Empty message (0.00) has no token, no options and no payload (RFC 7252 section 4.1).",
                nameof(message));
        }

        return PlanHead(message, new MessagePlan(options, message.Payload.Length));
    }
}
