using System.Buffers;

namespace CoAP.NET.Serialization;

/// <summary>
/// Writes messages into streams: header and options through one pooled buffer, the payload from where it lies. Memory does not grow with
/// the message. A buffer goes back to the pool only when all went well: after an exception the stream may still hold it.
/// </summary>
internal static class MessageStreamWriter
{
    /// <summary>The size of a part. Holds the longest header with token, and the longest option, whatever else is in it.</summary>
    public const int PartSize = 128 * 1024;

    // Up to this size the payload is copied behind the options: one system call is dearer than the copy.
    private const int SmallPayload = 4096;

    public static void Write(CoapMessageSerializer serializer, Stream destination, CoapMessage message, in MessagePlan plan)
    {
        Parts parts = new(serializer, message, in plan);
        while (parts.Fill())
        {
            destination.Write(parts.Filled.Span);
        }

        if (!parts.Rest.IsEmpty)
        {
            destination.Write(parts.Rest.Span);
        }

        parts.Return();
    }

    public static ValueTask WriteAsync(CoapMessageSerializer serializer, Stream destination, CoapMessage message, in MessagePlan plan,
        CancellationToken cancellationToken)
    {
        Parts parts = new(serializer, message, in plan);
        parts.Fill();
        ValueTask write = destination.WriteAsync(parts.Filled, cancellationToken);
        if (!write.IsCompletedSuccessfully || !parts.IsAtEnd)
        {
            return FinishAsync(write, parts, destination, cancellationToken);
        }

        write.GetAwaiter().GetResult();
        parts.Return();
        return ValueTask.CompletedTask;
    }

    private static async ValueTask FinishAsync(ValueTask first, Parts parts, Stream destination, CancellationToken cancellationToken)
    {
        await first.ConfigureAwait(false);
        while (parts.Fill())
        {
            await destination.WriteAsync(parts.Filled, cancellationToken).ConfigureAwait(false);
        }

        if (!parts.Rest.IsEmpty)
        {
            await destination.WriteAsync(parts.Rest, cancellationToken).ConfigureAwait(false);
        }

        parts.Return();
    }

    /// <summary>Cuts a message into the parts that are written one after another.</summary>
    private struct Parts
    {
        private readonly CoapMessage _message;
        private readonly byte[] _buffer;
        private OptionBlockWriter _options;
        private int _filled;
        private bool _isBegun;
        private bool _isDone;

        // The first part begins with the head, so it is not empty.
        public Parts(CoapMessageSerializer serializer, CoapMessage message, in MessagePlan plan)
        {
            _message = message;
            _options = new OptionBlockWriter(message);
            long copied = plan.Head + plan.Options + 1L + (plan.Payload <= SmallPayload ? plan.Payload : 0);
            _buffer = ArrayPool<byte>.Shared.Rent((int)Math.Min(copied, PartSize));
            _filled = serializer.WriteHead(_buffer, message, in plan);
        }

        /// <summary>What <see cref="Fill"/> made.</summary>
        public readonly ReadOnlyMemory<byte> Filled => _buffer.AsMemory(0, _filled);

        /// <summary>The payload, when it is not part of what was filled.</summary>
        public ReadOnlyMemory<byte> Rest { get; private set; }

        /// <summary>Whether what was filled is the end of the message.</summary>
        public readonly bool IsAtEnd => _isDone && Rest.IsEmpty;

        /// <summary>Makes the next part; false when there is none.</summary>
        public bool Fill()
        {
            if (_isDone)
            {
                return false;
            }

            if (_isBegun)
            {
                _filled = 0;
            }

            _isBegun = true;
            _filled += _options.Write(_buffer.AsSpan(_filled));
            if (_options.IsDone && _filled < _buffer.Length)
            {
                _isDone = true;
                AddPayload();
            }

            return _filled > 0;
        }

        public readonly void Return() => ArrayPool<byte>.Shared.Return(_buffer);

        private void AddPayload()
        {
            ReadOnlyMemory<byte> payload = _message.Payload;
            if (payload.IsEmpty)
            {
                return;
            }

            _buffer[_filled++] = OptionBlockReader.PayloadMarker;
            if (payload.Length <= SmallPayload && payload.Length <= _buffer.Length - _filled)
            {
                payload.Span.CopyTo(_buffer.AsSpan(_filled));
                _filled += payload.Length;
            }
            else
            {
                Rest = payload;
            }
        }
    }
}
