using System.Buffers;
using System.IO.Pipelines;

namespace CoAP.NET.Serialization;

/// <summary>
/// Reads messages from streams and pipes: it finds the length of a message in the bytes that are there, and calls the parser of spans once
/// all of them are.
/// </summary>
internal static class MessageReader
{
    private const int FirstBuffer = 4096;

    /// <summary>
    /// Whether the asynchronous methods of a stream do what its synchronous ones do, only slower: 6 to 13 ns for each call to a
    /// <see cref="MemoryStream"/>. One that is derived may do anything.
    /// </summary>
    public static bool NeverWaits(Stream stream) => stream.GetType() == typeof(MemoryStream);

    /// <summary>Reads one message: to the end of the stream, or one frame and no byte more.</summary>
    public static CoapMessage Read(CoapMessageSerializer serializer, Stream source)
    {
        StreamInput input = new(serializer, FirstBuffer);
        while (!input.Take(source.Read(input.Room.Span)))
        {
        }

        return input.ToMessage();
    }

    /// <inheritdoc cref="Read"/>
    public static async ValueTask<CoapMessage> ReadAsync(CoapMessageSerializer serializer, Stream source,
        CancellationToken cancellationToken)
    {
        // Small for frames: many may wait for their first byte at a time.
        StreamInput input = new(serializer, serializer.EndsWithSource ? FirstBuffer : CoapMessageSerializer.LongestHeader);
        while (!input.Take(await source.ReadAsync(input.Room, cancellationToken).ConfigureAwait(false)))
        {
        }

        return input.ToMessage();
    }

    /// <summary>Reads one message: to the completion of the pipe, or one frame. Nothing is consumed before it is whole and valid.</summary>
    public static async ValueTask<CoapMessage> ReadAsync(CoapMessageSerializer serializer, PipeReader source,
        CancellationToken cancellationToken)
    {
        while (true)
        {
            ReadResult result = source.TryRead(out ReadResult there)
                ? there
                : await source.ReadAsync(cancellationToken).ConfigureAwait(false);
            ReadOnlySequence<byte> buffer = result.Buffer;
            CoapFormatError error = default;
            bool isWhole = !serializer.EndsWithSource || result.IsCompleted || buffer.Length > serializer.MaxMessageSize;
            if (isWhole && serializer.TryRead(in buffer, copy: true, out CoapMessage? message, out SequencePosition end, out error))
            {
                source.AdvanceTo(end);
                return message;
            }

            if (error.IsNone && result.IsCompleted && !result.IsCanceled)
            {
                error = new CoapFormatError(CoapMessageFormatViolation.EndOfStream, buffer.Length);
            }

            bool continues = error.IsNone && !result.IsCanceled;
            source.AdvanceTo(buffer.Start, continues ? buffer.End : buffer.Start);
            if (!continues)
            {
                throw error.IsNone
                    ? new OperationCanceledException("Reading from the pipe was cancelled by CancelPendingRead.")
                    : new CoapFormatException(error);
            }
        }
    }

    /// <summary>
    /// The bytes of a message that were read from a stream, and the size of the next read. The buffer returns to the pool only after
    /// success: after an exception the stream may still hold it.
    /// </summary>
    private struct StreamInput
    {
        /// <summary>
        /// Up to this size, a message gets its buffer as soon as its header announces the size; above, after this many bytes arrived. A
        /// header of six bytes therefore never allocates a megabyte.
        /// </summary>
        private const int Trust = 64 * 1024;

        private const int FirstRead = 2;

        private readonly CoapMessageSerializer _serializer;
        private byte[] _bytes;
        private int _length;

        // Up to where to read before anything is looked at.
        private int _wanted;

        // The size in the header; 0 while the header is incomplete, or if the message ends with its source.
        private long _total;

        public StreamInput(CoapMessageSerializer serializer, int size)
        {
            _serializer = serializer;
            _bytes = ArrayPool<byte>.Shared.Rent(size);
            _wanted = serializer.EndsWithSource ? MostOf(_bytes.Length) : FirstRead;
        }

        /// <summary>Where to read to. Never empty.</summary>
        public readonly Memory<byte> Room => _bytes.AsMemory(_length, _wanted - _length);

        /// <summary>Processes received bytes.</summary>
        /// <param name="read">The number of bytes; 0 at the end of the stream.</param>
        /// <returns>Whether the message is complete, or there is none.</returns>
        public bool Take(int read)
        {
            _length += read;
            return read == 0 || (_length == _wanted && !(_serializer.EndsWithSource ? TryGrow() : TryContinue()));
        }

        /// <summary>Creates the message.</summary>
        /// <exception cref="CoapFormatException">The bytes are not a message.</exception>
        public readonly CoapMessage ToMessage()
        {
            // The last buffer of a large frame is of its size and stays with the message.
            bool isOwn = !_serializer.EndsWithSource && _bytes.Length > Trust;
            bool isRead = _serializer.TryRead(_bytes.AsSpan(0, _length), _bytes, copy: !isOwn, out CoapMessage? message,
                out CoapFormatError error);
            if (!isOwn)
            {
                ArrayPool<byte>.Shared.Return(_bytes);
            }

            return isRead ? message! : throw new CoapFormatException(error);
        }

        private readonly int MostOf(long size) => (int)Math.Min(size, _serializer.MaxMessageSize + 1);

        private bool TryGrow()
        {
            if (_length > _serializer.MaxMessageSize)
            {
                return false;
            }

            Exchange(ArrayPool<byte>.Shared.Rent(MostOf(_bytes.Length * 2L)));
            _wanted = MostOf(_bytes.Length);
            return true;
        }

        // Determines how many bytes to read next and makes room for them; false when the frame is whole or broken.
        private bool TryContinue()
        {
            if (_total == 0)
            {
                if (!_serializer.TryReadHead(_bytes.AsSpan(0, _length), _length, out MessageHead head, out CoapFormatError error))
                {
                    _wanted = CoapStreamSerializer.SizeOfHeader(_bytes[0]);
                    return error.IsNone;
                }

                _total = head.Length;
            }

            if (_length == _total)
            {
                return false;
            }

            _wanted = (int)(_total <= Trust || _length >= Trust ? _total : Trust);
            if (_wanted > _bytes.Length)
            {
                Exchange(_wanted > Trust ? GC.AllocateUninitializedArray<byte>(_wanted) : ArrayPool<byte>.Shared.Rent(_wanted));
            }

            return true;
        }

        private void Exchange(byte[] larger)
        {
            _bytes.AsSpan(0, _length).CopyTo(larger);
            ArrayPool<byte>.Shared.Return(_bytes);
            _bytes = larger;
        }
    }
}
