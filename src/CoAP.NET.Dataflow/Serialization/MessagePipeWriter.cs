using System.IO.Pipelines;

namespace CoAP.NET.Serialization;

/// <summary>
/// Writes messages into pipes: small ones at once, large ones in parts with a flush after each, so that the pipe's bound holds.
/// </summary>
internal static class MessagePipeWriter
{
    private const int SmallMessage = 64 * 1024;

    public static ValueTask WriteAsync(
        CoapMessageSerializer serializer, PipeWriter destination, CoapMessage message, in EncodedMessageSize plan,
        CancellationToken cancellationToken)
    {
        if (plan.Total > SmallMessage)
        {
            return WritePartsAsync(serializer, destination, message, plan, cancellationToken);
        }

        int size = (int)plan.Total;
        serializer.Write(destination.GetSpan(size), message, in plan);
        destination.Advance(size);
        ValueTask<FlushResult> flush = destination.FlushAsync(cancellationToken);
        if (!flush.IsCompletedSuccessfully)
        {
            return FinishAsync(flush);
        }

        return flush.Result.IsCanceled ? ValueTask.FromException(Cancelled()) : ValueTask.CompletedTask;
    }

    private static async ValueTask FinishAsync(ValueTask<FlushResult> flush)
    {
        FlushResult result = await flush.ConfigureAwait(false);
        if (result.IsCanceled)
        {
            throw Cancelled();
        }
    }

    private static async ValueTask WritePartsAsync(CoapMessageSerializer serializer, PipeWriter destination, CoapMessage message,
        EncodedMessageSize plan, CancellationToken cancellationToken)
    {
        OptionSequenceWriter options = new(message.OptionsToRead);
        int part = (int)Math.Min(plan.Head + plan.Options + 1, MessageStreamWriter.PartSize);
        Memory<byte> memory = destination.GetMemory(part);
        int filled = serializer.WriteHead(memory.Span, message, in plan);
        while (true)
        {
            filled += options.Write(memory.Span[filled..]);
            if (options.IsDone && filled < memory.Length)
            {
                break;
            }

            if (!await FlushAsync(destination, filled, cancellationToken).ConfigureAwait(false))
            {
                return;
            }

            memory = destination.GetMemory(part);
            filled = 0;
        }

        if (plan.Payload > 0)
        {
            memory.Span[filled++] = OptionSequenceReader.PayloadMarker;
        }

        destination.Advance(filled);
        ReadOnlyMemory<byte> rest = message.Payload;
        do
        {
            ReadOnlyMemory<byte> next = rest[..Math.Min(rest.Length, SmallMessage)];
            rest = rest[next.Length..];
            FlushResult result = await destination.WriteAsync(next, cancellationToken).ConfigureAwait(false);
            if (result.IsCanceled)
            {
                throw Cancelled();
            }

            if (result.IsCompleted)
            {
                return;
            }
        }
        while (!rest.IsEmpty);
    }

    /// <summary>Flushes bytes that were written into the memory of a pipe.</summary>
    /// <returns>Whether the reader wants more.</returns>
    /// <exception cref="OperationCanceledException">The flush was cancelled.</exception>
    public static async ValueTask<bool> FlushAsync(PipeWriter destination, int filled, CancellationToken cancellationToken)
    {
        destination.Advance(filled);
        FlushResult result = await destination.FlushAsync(cancellationToken).ConfigureAwait(false);
        return result.IsCanceled ? throw Cancelled() : !result.IsCompleted;
    }

    private static OperationCanceledException Cancelled() => new("Writing into the pipe was cancelled by CancelPendingFlush.");
}
