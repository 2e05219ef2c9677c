using CoAP.NET.Blockwise;
using CoAP.NET.Exchanges;
using CoAP.NET.Options;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Resources;

/// <summary>
/// Reads only the requested block from a stream or file, so that the memory does not depend on the size of the body. If a request must not
/// run again for its next block, it reads the whole body.
/// </summary>
internal static class SeekableReader
{
    /// <summary>Reads the block of the response. The stream then belongs to the response, for later blocks, or is disposed.</summary>
    /// <param name="exchange">The request.</param>
    /// <param name="result">The answer.</param>
    /// <param name="route">The route of the handler.</param>
    /// <param name="environment">Provides limits, counters and log.</param>
    public static async ValueTask<CoapResult> ReadAsync(CoapExchange exchange, SeekableResult result, RouteTemplate route,
        CoapEnvironment environment)
    {
        long maxWhole = environment.Limits.MaxRepresentationBytes;
        CancellationToken cancellationToken = exchange.Request.Aborted;
        if (result.Stream is { } stream)
        {
            SeekableBody? body = null;
            bool isHandedOn = false;
            try
            {
                if (exchange.Request.Code.IsSafe && exchange.Request.IsMatch(result.ETag!.Value))
                {
                    return CoapResults.Valid(result.ETag.Value).As(result);
                }

                CoapResult head = HeadOf(result, result.ETag!.Value);
                body = result.Start is { } start
                    ? SeekableBody.Sequential(environment, route, head, stream, start, result.Size)
                    : new SeekableBody(environment, route, head, stream, stream.Length);
                CoapResult answer = await ReadAsync(exchange, body, null, maxWhole, cancellationToken).ConfigureAwait(false);
                isHandedOn = answer is BodyPart { Source: not null };
                return answer;
            }
            finally
            {
                if (!isHandedOn)
                {
                    await (body?.CloseAsync() ?? stream.DisposeAsync().AsTask()).ConfigureAwait(false);
                }
            }
        }

        SafeFileHandle file;
        try
        {
            file = SeekableFile.Open(result.Path!);
        }
        catch (Exception exception) when (exception is FileNotFoundException or DirectoryNotFoundException)
        {
            return new CoapResult(CoapCode.NotFound);
        }

        using (file)
        {
            long length = RandomAccess.GetLength(file);
            DateTime lastWrite = File.GetLastWriteTimeUtc(file);
            CoapETag etag = result.ETag
                ?? await FileTags.GetAsync(result.Path!, file, length, lastWrite, cancellationToken).ConfigureAwait(false);
            if (exchange.Request.Code.IsSafe && exchange.Request.IsMatch(etag))
            {
                return CoapResults.Valid(etag).As(result);
            }

            SeekableBody body = new(environment, route, HeadOf(result, etag), result.Path!, length, lastWrite);
            return await ReadAsync(exchange, body, file, maxWhole, cancellationToken).ConfigureAwait(false);
        }
    }

    private static async ValueTask<CoapResult> ReadAsync(CoapExchange exchange, SeekableBody body, SafeFileHandle? file, long maxWhole,
        CancellationToken cancellationToken)
    {
        CoapRequest request = exchange.Request;
        BlockValue? asked = request.Message.OptionsToRead?.Block2;

        // Requests for later blocks of a block-wise FETCH have no body, so the handler cannot run for them.
        bool isWhole = !request.Code.IsSafe
            || (request.Code == CoapCode.Fetch && exchange.Body is { Block1: not null } or { Owner: not null });
        if (!isWhole)
        {
            long offset = Math.Min(asked?.ByteOffset ?? 0, body.Length);
            return await body.ReadAsync(file, offset, exchange.Channel.LargestPart(asked), cancellationToken).ConfigureAwait(false);
        }

        BodyPart? part = body.IsSequential || body.Length <= maxWhole
            ? await body.ReadAsync(file, 0, (int)Math.Min(maxWhole, body.Length), cancellationToken).ConfigureAwait(false)
            : null;
        if (part is null || part.Total > part.Payload.Length)
        {
            throw new InvalidOperationException(
                $"The response to {request.Code} has {part?.Total ?? body.Length} bytes. For an unsafe or block-wise request, "
                    + "the whole response is kept in memory, which allows at most "
                + $"CoapLimits.MaxRepresentationBytes ({maxWhole}).");
        }

        CoapResult whole = new CoapResult(part.Code, part.Payload).As(part);
        whole.Options.AddAll(part.Options);
        return whole;
    }

    private static CoapResult HeadOf(SeekableResult result, CoapETag etag)
    {
        CoapResult head = new CoapResult(result.Code).As(result);
        if (result.OptionsToRead is { } options)
        {
            head.Options.AddAll(options);
        }

        return head.WithETag(etag);
    }
}
