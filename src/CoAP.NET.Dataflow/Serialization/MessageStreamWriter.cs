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

    public static void Write(CoapMessageSerializer serializer, Stream destination, CoapMessage message, in EncodedMessageSize plan)
    {
        Parts parts = new(serializer, message, in plan);
        do
        {
            destination.Write(parts.Next().Span);
        }
        while (!parts.IsAtEnd);

        parts.Return();
    }

    public static ValueTask WriteAsync(
        CoapMessageSerializer serializer, Stream destination, CoapMessage message, in EncodedMessageSize plan,
        CancellationToken cancellationToken)
    {
#pragma warning disable CA1031 // whatever the stream throws belongs to the task, as if the method were asynchronous
        try
        {
            if (MessageStreamReader.NeverWaits(destination))
            {
                Write(serializer, destination, message, in plan);
                return ValueTask.CompletedTask;
            }

            Parts parts = new(serializer, message, in plan);
            do
            {
                ValueTask write = destination.WriteAsync(parts.Next(), cancellationToken);
                if (!write.IsCompletedSuccessfully)
                {
                    return FinishAsync(write, parts, destination, cancellationToken);
                }

                write.GetAwaiter().GetResult();
            }
            while (!parts.IsAtEnd);

            parts.Return();
            return ValueTask.CompletedTask;
        }
        catch (Exception exception)
        {
            return ValueTask.FromException(exception);
        }
#pragma warning restore CA1031
    }

    private static async ValueTask FinishAsync(ValueTask write, Parts parts, Stream destination, CancellationToken cancellationToken)
    {
        await write.ConfigureAwait(false);
        while (!parts.IsAtEnd)
        {
            await destination.WriteAsync(parts.Next(), cancellationToken).ConfigureAwait(false);
        }

        parts.Return();
    }

    /// <summary>Cuts a message into the parts that are written one after another.</summary>
    private struct Parts
    {
        private readonly CoapMessage _message;
        private readonly byte[] _buffer;
        private OptionSequenceWriter _options;
        private int _filled;
        private bool _isPayloadLeft;

        // The first part begins with the head, so it is not empty.
        public Parts(CoapMessageSerializer serializer, CoapMessage message, in EncodedMessageSize plan)
        {
            _message = message;
            _options = new OptionSequenceWriter(message.OptionsToRead);
            long copied = plan.Head + plan.Options + 1L + (plan.Payload <= SmallPayload ? plan.Payload : 0);
            _buffer = ArrayPool<byte>.Shared.Rent((int)Math.Min(copied, PartSize));
            _filled = serializer.WriteHead(_buffer, message, in plan);
        }

        /// <summary>Whether there is no further part.</summary>
        public bool IsAtEnd { get; private set; }

        /// <summary>Creates the next part, which must be written before the following one is created.</summary>
        public ReadOnlyMemory<byte> Next()
        {
            ReadOnlyMemory<byte> payload = _message.Payload;
            if (_isPayloadLeft)
            {
                IsAtEnd = true;
                return payload;
            }

            int filled = _filled + _options.Write(_buffer.AsSpan(_filled));
            _filled = 0;
            if (_options.IsDone && payload.IsEmpty)
            {
                IsAtEnd = true;
            }
            else if (_options.IsDone && filled < _buffer.Length)
            {
                _buffer[filled++] = OptionSequenceReader.PayloadMarker;
                if (payload.Length <= SmallPayload && payload.Length <= _buffer.Length - filled)
                {
                    payload.Span.CopyTo(_buffer.AsSpan(filled));
                    filled += payload.Length;
                    IsAtEnd = true;
                }
                else
                {
                    _isPayloadLeft = true;
                }
            }

            return _buffer.AsMemory(0, filled);
        }

        public readonly void Return() => ArrayPool<byte>.Shared.Return(_buffer);
    }
}
