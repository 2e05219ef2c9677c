using System.Buffers;
using System.IO.Pipelines;

namespace CoAP.NET.Serialization;

/// <summary>
/// Writes messages into streams and pipes: header and options in parts of bounded size, then the payload from where it is. Memory does not
/// grow with the message.
/// </summary>
internal static class MessageWriter
{
    /// <summary>The size of a part. Holds the longest header with token, and the longest option.</summary>
    public const int PartSize = 128 * 1024;

    // Up to this size the payload of a stream is copied behind the options: a system call costs more than the copy.
    private const int SmallPayload = 4096;

    // What a pipe gets between two flushes, so that its bound holds.
    private const int PipePart = 64 * 1024;

    public static void Write(CoapMessageSerializer serializer, Stream destination, CoapMessage message, in EncodedMessageSize plan)
    {
        byte[] buffer = Rent(in plan);
        Beginning beginning = new(serializer, message, in plan, SmallPayload);
        do
        {
            destination.Write(buffer.AsSpan(0, beginning.Fill(buffer)));
        }
        while (!beginning.IsWritten);

        ArrayPool<byte>.Shared.Return(buffer);
        if (!beginning.Rest.IsEmpty)
        {
            destination.Write(beginning.Rest.Span);
        }
    }

    // The buffer returns to the pool only after success: after an exception the stream may still hold it.
    public static async ValueTask WriteAsync(
        CoapMessageSerializer serializer, Stream destination, CoapMessage message, EncodedMessageSize plan,
        CancellationToken cancellationToken)
    {
        byte[] buffer = Rent(in plan);
        Beginning beginning = new(serializer, message, in plan, SmallPayload);
        do
        {
            await destination.WriteAsync(buffer.AsMemory(0, beginning.Fill(buffer)), cancellationToken).ConfigureAwait(false);
        }
        while (!beginning.IsWritten);

        ArrayPool<byte>.Shared.Return(buffer);
        if (!beginning.Rest.IsEmpty)
        {
            await destination.WriteAsync(beginning.Rest, cancellationToken).ConfigureAwait(false);
        }
    }

    public static async ValueTask WriteAsync(CoapMessageSerializer serializer, PipeWriter destination, CoapMessage message,
        EncodedMessageSize plan, CancellationToken cancellationToken)
    {
        Beginning beginning = new(serializer, message, in plan, PipePart);
        int part = (int)Math.Min(plan.Total, PartSize);
        do
        {
            destination.Advance(beginning.Fill(destination.GetSpan(part)));
            if (!WantsMore(await destination.FlushAsync(cancellationToken).ConfigureAwait(false)))
            {
                return;
            }
        }
        while (!beginning.IsWritten);

        for (ReadOnlyMemory<byte> rest = beginning.Rest; !rest.IsEmpty;)
        {
            int length = Math.Min(rest.Length, PipePart);
            if (!WantsMore(await destination.WriteAsync(rest[..length], cancellationToken).ConfigureAwait(false)))
            {
                return;
            }

            rest = rest[length..];
        }
    }

    /// <summary>Whether the reader of a pipe wants more.</summary>
    /// <exception cref="OperationCanceledException">The flush was cancelled.</exception>
    public static bool WantsMore(FlushResult result) => result.IsCanceled
        ? throw new OperationCanceledException("Writing into the pipe was cancelled by CancelPendingFlush.")
        : !result.IsCompleted;

    private static byte[] Rent(in EncodedMessageSize plan)
    {
        long copied = plan.Head + plan.Options + 1L + (plan.Payload <= SmallPayload ? plan.Payload : 0);
        return ArrayPool<byte>.Shared.Rent((int)Math.Min(copied, PartSize));
    }

    /// <summary>Writes header, token, options and marker of a message in parts, with the payload behind them if it is small.</summary>
    private struct Beginning(CoapMessageSerializer serializer, CoapMessage message, in EncodedMessageSize plan, int smallPayload)
    {
        private readonly EncodedMessageSize _plan = plan;
        private OptionSequenceWriter _options = new(message.OptionsToRead);
        private bool _hasHead;

        /// <summary>Whether all of it was written. <see cref="Rest"/> follows.</summary>
        public bool IsWritten { get; private set; }

        /// <summary>The payload that was not written; empty for none.</summary>
        public ReadOnlyMemory<byte> Rest { get; private set; }

        /// <summary>Writes the next part.</summary>
        /// <returns>The number of bytes, at least one.</returns>
        public int Fill(Span<byte> room)
        {
            int filled = _hasHead ? 0 : serializer.WriteHead(room, message, in _plan);
            _hasHead = true;
            filled += _options.Write(room[filled..]);
            ReadOnlyMemory<byte> payload = message.Payload;
            if (!_options.IsDone || (!payload.IsEmpty && filled == room.Length))
            {
                return filled;
            }

            IsWritten = true;
            if (payload.IsEmpty)
            {
                return filled;
            }

            room[filled++] = OptionSequenceReader.PayloadMarker;
            if (payload.Length <= smallPayload && payload.Length <= room.Length - filled)
            {
                payload.Span.CopyTo(room[filled..]);
                return filled + payload.Length;
            }

            Rest = payload;
            return filled;
        }
    }
}
