using System.Buffers;

namespace CoAP.NET.Serialization;

/// <summary>
/// Reads messages from streams. A buffer goes back to the pool only when all went well: after an exception the stream may still hold it.
/// </summary>
internal static class MessageStreamReader
{
    /// <summary>
    /// Up to this size, a message gets its buffer as soon as its header announces the size; above, after this many bytes arrived. A header
    /// of six bytes therefore never allocates a megabyte.
    /// </summary>
    public const int Trust = 64 * 1024;

    private const int FirstBuffer = 4096;
    private const int FirstRead = 2;

    /// <summary>Reads one message: to the end of the stream, or one frame and no byte more.</summary>
    public static CoapMessage Read(CoapMessageSerializer serializer, Stream source)
    {
        Buffer buffer = new(serializer, FirstBuffer);
        while (!buffer.Take(source.Read(buffer.Room)))
        {
        }

        return buffer.Finish();
    }

    /// <summary>
    /// Reads one message: to the end of the stream, or one frame and no byte more. There is no state machine as long as the stream has the
    /// bytes at once.
    /// </summary>
    public static ValueTask<CoapMessage> ReadAsync(CoapMessageSerializer serializer, Stream source, CancellationToken cancellationToken)
    {
#pragma warning disable CA1031 // whatever the stream throws belongs to the task, as if the method were asynchronous
        try
        {
            if (NeverWaits(source))
            {
                return new ValueTask<CoapMessage>(serializer.Deserialize(source));
            }

            // Small: many may wait for their first byte at a time.
            Buffer buffer = new(serializer, serializer.EndsWithSource ? FirstBuffer : CoapMessageSerializer.LongestHeader);
            while (true)
            {
                ValueTask<int> read = source.ReadAsync(buffer.RoomToKeep, cancellationToken);
                if (!read.IsCompletedSuccessfully)
                {
                    return ReadSlowlyAsync(buffer, source, read, cancellationToken);
                }

                if (buffer.Take(read.Result))
                {
                    return new ValueTask<CoapMessage>(buffer.Finish());
                }
            }
        }
        catch (Exception exception)
        {
            return ValueTask.FromException<CoapMessage>(exception);
        }
#pragma warning restore CA1031
    }

    /// <summary>
    /// Whether the asynchronous methods of a stream do what its synchronous ones do, only slower: 6 to 13 ns for each call to a
    /// <see cref="MemoryStream"/>. One that is derived may do anything.
    /// </summary>
    public static bool NeverWaits(Stream stream) => stream.GetType() == typeof(MemoryStream);

    private static async ValueTask<CoapMessage> ReadSlowlyAsync(
        Buffer buffer, Stream source, ValueTask<int> read, CancellationToken cancellationToken)
    {
        while (!buffer.Take(await read.ConfigureAwait(false)))
        {
            read = source.ReadAsync(buffer.RoomToKeep, cancellationToken);
        }

        return buffer.Finish();
    }

    /// <summary>The bytes of a message read so far, and the size of the next read.</summary>
    private struct Buffer
    {
        private readonly CoapMessageSerializer _serializer;
        private byte[] _bytes;
        private int _length;

        // Up to where to read before anything is looked at.
        private int _wanted;

        // The size in the header; 0 while the header is incomplete, or if the message ends with its source.
        private long _total;

        public Buffer(CoapMessageSerializer serializer, int size)
        {
            _serializer = serializer;
            _bytes = ArrayPool<byte>.Shared.Rent(size);
            _wanted = serializer.EndsWithSource ? MostOf(_bytes.Length) : FirstRead;
        }

        /// <summary>Where to read to. Never empty.</summary>
        public readonly Span<byte> Room => _bytes.AsSpan(_length, _wanted - _length);

        /// <summary>The same.</summary>
        public readonly Memory<byte> RoomToKeep => _bytes.AsMemory(_length, _wanted - _length);

        /// <summary>Processes received bytes.</summary>
        /// <param name="read">The number of bytes; 0 at the end of the stream.</param>
        /// <returns>Whether the message is complete.</returns>
        public bool Take(int read)
        {
            _length += read;
            return read == 0 || (_length == _wanted && (_serializer.EndsWithSource ? !TryGrow() : !TryContinue()));
        }

        /// <summary>Creates the message.</summary>
        /// <exception cref="CoapFormatException">The bytes are none.</exception>
        public readonly CoapMessage Finish()
        {
            bool isOwn = IsOwn;
            bool isRead = _serializer.TryRead(_bytes.AsSpan(0, _length), _bytes, copy: !isOwn, out CoapMessage? message,
                out CoapFormatError error);
            if (!isOwn)
            {
                ArrayPool<byte>.Shared.Return(_bytes);
            }

            return isRead ? message! : throw new CoapFormatException(error);
        }

        // The last buffer of a large frame is of its size and stays with the message.
        private readonly bool IsOwn => !_serializer.EndsWithSource && _bytes.Length > Trust;

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

        // Says how many bytes to read next and makes room for them; false when the frame is whole or broken.
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
