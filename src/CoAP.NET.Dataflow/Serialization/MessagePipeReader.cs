using System.Buffers;
using System.IO.Pipelines;

namespace CoAP.NET.Serialization;

/// <summary>
/// Reads messages from pipes. A message copies its bytes before the pipe advances. Nothing is consumed before the message is whole, but for
/// messages above <see cref="MessageStreamReader.Trust"/>: those move into their own array as they come, so that the pipe need not hold
/// them too.
/// </summary>
internal static class MessagePipeReader
{
    /// <summary>Reads one message: without a task when its bytes are in the pipe already.</summary>
    public static ValueTask<CoapMessage> ReadAsync(CoapMessageSerializer serializer, PipeReader source, CancellationToken cancellationToken)
    {
        if (!source.TryRead(out ReadResult result))
        {
            return ReadSlowlyAsync(serializer, source, cancellationToken);
        }

        try
        {
            return TryTake(serializer, source, result, out CoapMessage? message, out MessageHead large)
                ? new ValueTask<CoapMessage>(message)
                : large.Length > 0
                    ? TakeLargeAsync(serializer, source, result.Buffer, large, cancellationToken)
                    : ReadSlowlyAsync(serializer, source, cancellationToken);
        }
        catch (CoapFormatException exception)
        {
            return ValueTask.FromException<CoapMessage>(exception);
        }
        catch (OperationCanceledException exception)
        {
            return ValueTask.FromException<CoapMessage>(exception);
        }
    }

    private static async ValueTask<CoapMessage> ReadSlowlyAsync(CoapMessageSerializer serializer, PipeReader source,
        CancellationToken cancellationToken)
    {
        while (true)
        {
            ReadResult result = await source.ReadAsync(cancellationToken).ConfigureAwait(false);
            if (TryTake(serializer, source, result, out CoapMessage? message, out MessageHead large))
            {
                return message;
            }

            if (large.Length > 0)
            {
                return await TakeLargeAsync(serializer, source, result.Buffer, large, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    // Extracts a message from the read bytes. If there is none yet, the pipe was advanced, unless a large message must be read in parts.
    private static bool TryTake(
        CoapMessageSerializer serializer,
        PipeReader source,
        in ReadResult result,
        [System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out CoapMessage? message,
        out MessageHead large)
    {
        ReadOnlySequence<byte> buffer = result.Buffer;
        message = null;
        large = default;
        CoapFormatError error = default;
        bool isWhole = !serializer.EndsWithSource || result.IsCompleted || buffer.Length > serializer.MaxMessageSize;
        if (isWhole && serializer.TryRead(in buffer, copy: true, out message, out SequencePosition consumed, out error))
        {
            source.AdvanceTo(consumed);
            return true;
        }

        if (!error.IsNone)
        {
            source.AdvanceTo(buffer.Start);
            throw new CoapFormatException(error);
        }

        if (result.IsCanceled)
        {
            source.AdvanceTo(buffer.Start);
            throw new OperationCanceledException("Reading from the pipe was cancelled by CancelPendingRead.");
        }

        if (result.IsCompleted)
        {
            source.AdvanceTo(buffer.Start, buffer.End);
            throw new CoapFormatException(new CoapFormatError(CoapMessageFormatViolation.EndOfStream, buffer.Length));
        }

        if (!serializer.EndsWithSource && buffer.Length >= MessageStreamReader.Trust && serializer.TryReadHead(in buffer, out large, out _))
        {
            return false;
        }

        source.AdvanceTo(buffer.Start, buffer.End);
        return false;
    }

    private static async ValueTask<CoapMessage> TakeLargeAsync(
        CoapMessageSerializer serializer, PipeReader source, ReadOnlySequence<byte> buffer, MessageHead head,
        CancellationToken cancellationToken)
    {
        byte[] own = GC.AllocateUninitializedArray<byte>((int)head.Length);
        int length = 0;
        while (true)
        {
            ReadOnlySequence<byte> taken = buffer.Slice(0, Math.Min(buffer.Length, own.Length - length));
            taken.CopyTo(own.AsSpan(length));
            length += (int)taken.Length;
            source.AdvanceTo(taken.End);
            if (length == own.Length)
            {
                break;
            }

            ReadResult result = await source.ReadAsync(cancellationToken).ConfigureAwait(false);
            buffer = result.Buffer;
            if (buffer.IsEmpty && (result.IsCanceled || result.IsCompleted))
            {
                source.AdvanceTo(buffer.End);
                throw result.IsCanceled
                    ? new OperationCanceledException("Reading from the pipe was cancelled by CancelPendingRead.")
                    : new CoapFormatException(new CoapFormatError(CoapMessageFormatViolation.EndOfStream, length));
            }
        }

        return serializer.Deserialize(own.AsMemory());
    }
}
