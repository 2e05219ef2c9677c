using System.Buffers.Binary;
using CoAP.NET.Exchanges;
using CoAP.NET.Options;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Resources;

/// <summary>
/// Reads of a stream or file the block that a request asks for, and nothing else, so that the memory does not depend on the size of the body. A request that
/// may not be carried out again for its next block has it read as a whole.
/// </summary>
internal static class SeekableReader
{
    /// <summary>Reads the answer's block. The stream is disposed afterwards.</summary>
    /// <param name="exchange">The request.</param>
    /// <param name="result">The answer.</param>
    /// <param name="maxWhole">How much is read as a whole at most, in bytes.</param>
    public static async ValueTask<CoapResult> ReadAsync(CoapExchange exchange, SeekableResult result, long maxWhole)
    {
        CancellationToken cancellationToken = exchange.Request.Aborted;
        if (result.Stream is { } stream)
        {
            await using (stream.ConfigureAwait(false))
            {
                async ValueTask<int> ReadStreamAsync(Memory<byte> buffer, long offset)
                {
                    stream.Position = offset;
                    return await stream.ReadAtLeastAsync(buffer, buffer.Length, throwOnEndOfStream: false, cancellationToken).ConfigureAwait(false);
                }

                return await ReadAsync(exchange, result, result.ETag!.Value, stream.Length, maxWhole, ReadStreamAsync).ConfigureAwait(false);
            }
        }

        SafeFileHandle file;
        try
        {
            file = File.OpenHandle(result.Path!, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, FileOptions.Asynchronous | FileOptions.RandomAccess);
        }
        catch (Exception exception) when (exception is FileNotFoundException or DirectoryNotFoundException)
        {
            return new CoapResult(CoapCode.NotFound);
        }

        using (file)
        {
            async ValueTask<int> ReadFileAsync(Memory<byte> buffer, long offset)
            {
                int length = 0;
                int read;
                while (length < buffer.Length
                    && (read = await RandomAccess.ReadAsync(file, buffer[length..], offset + length, cancellationToken).ConfigureAwait(false)) > 0)
                {
                    length += read;
                }

                return length;
            }

            long size = RandomAccess.GetLength(file);
            CoapETag etag = result.ETag ?? TagOf(size, File.GetLastWriteTimeUtc(file));
            return exchange.Request.Code.IsSafe && exchange.Request.IsMatch(etag)
                ? CoapResults.Valid(etag)
                : await ReadAsync(exchange, result, etag, size, maxWhole, ReadFileAsync).ConfigureAwait(false);
        }
    }

    private static async ValueTask<CoapResult> ReadAsync(
        CoapExchange exchange, SeekableResult result, CoapETag etag, long total, long maxWhole, Func<Memory<byte>, long, ValueTask<int>> readAsync)
    {
        CoapRequest request = exchange.Request;
        BlockValue? block2 = request.Message.OptionsToRead?.Block2;
        BlockValue asked = block2 ?? new BlockValue(0, more: false, BlockValue.MaxSizeExponent);

        // Later blocks of a FETCH that came in blocks are asked for without its body, so the handler cannot run for them.
        bool isWhole = !request.Code.IsSafe || (request.Code == CoapCode.Fetch && exchange.Body is { Block1: not null } or { Owner: not null });
        if (isWhole && total > maxWhole)
        {
            throw new InvalidOperationException($"The answer to {request.Code} has {total} bytes. Of a request that is not safe, or came in blocks, the answer is kept as a whole, which is at most CoapLimits.MaxRepresentationBytes ({maxWhole}).");
        }

        long offset = isWhole ? 0 : Math.Min(asked.ByteOffset, total);
        byte[] bytes = new byte[isWhole ? total : Math.Min(total - offset, exchange.Channel.LargestPart(block2))];
        int length = await readAsync(bytes, offset).ConfigureAwait(false);
        if (length < bytes.Length)
        {
            throw new EndOfStreamException($"The body became shorter than {total} bytes while it was read.");
        }

        CoapResult answer = isWhole ? new CoapResult(result.Code, bytes) : new BodyPart(result.Code, bytes) { Offset = offset, Total = total };
        if (result.OptionsToRead is { } options)
        {
            answer.Options.AddAll(options);
        }

        return answer.WithETag(etag);
    }

    private static CoapETag TagOf(long length, DateTime lastWrite)
    {
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteInt64BigEndian(bytes, length);
        BinaryPrimitives.WriteInt64BigEndian(bytes[8..], lastWrite.Ticks);
        return CoapETag.FromContent(bytes);
    }
}
