using System.Buffers;

namespace CoAP.NET.Serialization;

/// <summary>
/// Reads messages from streams. A buffer goes back to the pool only when all went well: after an exception the stream may still hold it.
/// </summary>
internal static class MessageStreamReader
{
    /// <summary>
    /// Up to this size a message gets its buffer as soon as its header promises it; above, when this much of it has come.
    /// Nobody gets a megabyte for a header of six bytes.
    /// </summary>
    public const int Trust = 64 * 1024;

    private const int FirstBuffer = 4096;
    private const int FirstRead = 2;

    /// <summary>Reads everything to the end of a stream as one message.</summary>
    public static CoapMessage ReadToEnd(CoapMessageSerializer serializer, Stream source)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(FirstBuffer);
        int length = 0;
        while (true)
        {
            int wanted = Wanted(serializer, buffer, length);
            int read = source.ReadAtLeast(buffer.AsSpan(length, wanted), wanted, throwOnEndOfStream: false);
            length += read;
            if (read < wanted || length > serializer.MaxMessageSize)
            {
                return Finish(serializer, buffer, length);
            }

            buffer = Grow(buffer, length, serializer.MaxMessageSize);
        }
    }

    /// <summary>Reads everything to the end of a stream as one message.</summary>
    public static async ValueTask<CoapMessage> ReadToEndAsync(CoapMessageSerializer serializer, Stream source,
        CancellationToken cancellationToken)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(FirstBuffer);
        int length = 0;
        while (true)
        {
            int wanted = Wanted(serializer, buffer, length);
            int read = await source.ReadAtLeastAsync(buffer.AsMemory(length, wanted), wanted, throwOnEndOfStream: false, cancellationToken)
                .ConfigureAwait(false);
            length += read;
            if (read < wanted || length > serializer.MaxMessageSize)
            {
                return Finish(serializer, buffer, length);
            }

            buffer = Grow(buffer, length, serializer.MaxMessageSize);
        }
    }

    /// <summary>Reads one frame and no byte more.</summary>
    public static CoapMessage ReadFrame(CoapMessageSerializer serializer, Stream source)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(FirstBuffer);
        int length = 0;
        long wanted = FirstRead;
        while (true)
        {
            length += source.ReadAtLeast(buffer.AsSpan(length, (int)wanted - length), (int)wanted - length, throwOnEndOfStream: false);
            if (length < wanted || !TryContinue(serializer, ref buffer, length, ref wanted))
            {
                return Finish(serializer, buffer, length);
            }
        }
    }

    /// <summary>Reads one frame and no byte more.</summary>
    public static async ValueTask<CoapMessage> ReadFrameAsync(CoapMessageSerializer serializer, Stream source,
        CancellationToken cancellationToken)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(CoapMessageSerializer.LongestHeader);
        int length = 0;
        long wanted = FirstRead;
        while (true)
        {
            Memory<byte> room = buffer.AsMemory(length, (int)wanted - length);
            length += await source.ReadAtLeastAsync(room, room.Length, throwOnEndOfStream: false, cancellationToken).ConfigureAwait(false);
            if (length < wanted || !TryContinue(serializer, ref buffer, length, ref wanted))
            {
                return Finish(serializer, buffer, length);
            }
        }
    }

    // Says how many bytes to read next and makes room for them; false when the message is whole or broken.
    private static bool TryContinue(CoapMessageSerializer serializer, ref byte[] buffer, int length, ref long wanted)
    {
        if (!serializer.TryReadHead(buffer.AsSpan(0, length), length, out MessageHead head, out CoapFormatError error))
        {
            wanted = CoapStreamSerializer.SizeOfHeader(buffer[0]);
            return error.IsNone;
        }

        if (length == head.Length)
        {
            return false;
        }

        bool isTrusted = head.Length <= Trust || length >= Trust;
        wanted = isTrusted ? head.Length : Trust;
        if (wanted > buffer.Length)
        {
            // The last buffer of a large message is of its size and stays with it.
            byte[] larger = wanted > Trust ? GC.AllocateUninitializedArray<byte>((int)wanted) : ArrayPool<byte>.Shared.Rent((int)wanted);
            buffer.AsSpan(0, length).CopyTo(larger);
            ArrayPool<byte>.Shared.Return(buffer);
            buffer = larger;
        }

        return true;
    }

    private static int Wanted(CoapMessageSerializer serializer, byte[] buffer, int length) =>
        (int)Math.Min(buffer.Length, serializer.MaxMessageSize + 1) - length;

    private static byte[] Grow(byte[] buffer, int length, long limit)
    {
        byte[] larger = ArrayPool<byte>.Shared.Rent((int)Math.Min(buffer.Length * 2L, limit + 1));
        buffer.AsSpan(0, length).CopyTo(larger);
        ArrayPool<byte>.Shared.Return(buffer);
        return larger;
    }

    private static CoapMessage Finish(CoapMessageSerializer serializer, byte[] buffer, int length)
    {
        bool isOwn = !serializer.EndsWithSource && buffer.Length > Trust;
        bool isRead = serializer.TryRead(buffer.AsSpan(0, length), buffer, copy: !isOwn, out CoapMessage? message,
            out CoapFormatError error);
        if (!isOwn)
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }

        return isRead ? message! : throw new CoapFormatException(error);
    }
}
