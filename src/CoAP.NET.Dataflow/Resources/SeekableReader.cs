using CoAP.NET.Blockwise;
using CoAP.NET.Files;
using CoAP.NET.Requests;

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
    public static async ValueTask<CoapResult> ReadAsync(CoapExchange exchange, StreamOrFileResult result, string route,
        CoapEnvironment environment)
    {
        FileStream? file = null;
        ServedResponseBody? body = null;
        CoapResult? answer = null;
        try
        {
            file = result.Path is { } path ? ServedResponseBody.Open(path) : null;
            FileStamp stamp = file is null ? default : FileStamp.Of(file.SafeFileHandle);
            CoapETag etag = result.ETag
                ?? await FileEntityTagCache.GetAsync(file!, stamp, exchange.Request.Aborted).ConfigureAwait(false);
            if (exchange.Request.Code.IsSafe && exchange.Request.IsMatch(etag))
            {
                return CoapResults.Valid(etag).As(result);
            }

            body = new ServedResponseBody(environment, route, result, etag, stamp);
            return answer = await ReadAsync(exchange, body, file, environment.Limits.Blockwise.ResponseMemory).ConfigureAwait(false);
        }
        catch (Exception exception) when (result.Path is not null && file is null
            && exception is FileNotFoundException or DirectoryNotFoundException)
        {
            return new CoapResult(CoapCode.NotFound);
        }
        finally
        {
            file?.Dispose();
            if (result.Stream is { } stream && answer is not PartialBodyResult)
            {
                await (body?.CloseAsync() ?? ResultBodyStreamDisposer.CloseAsync(stream, route, environment)).ConfigureAwait(false);
            }
        }
    }

    private static async ValueTask<CoapResult> ReadAsync(CoapExchange exchange, ServedResponseBody body, FileStream? file, long maxWhole)
    {
        CoapRequestContext request = exchange.Request;

        // Requests for later blocks of a block-wise FETCH have no body, so the handler cannot run for them.
        if (request.Code.IsSafe
            && !(request.Code == CoapCode.Fetch && exchange.Body is { Block1: not null } or { Transfer: not null }))
        {
            BlockValue? asked = request.Message.OptionsToRead?.Block2;
            return await body.ReadAsync(file, asked?.ByteOffset ?? 0, exchange.Channel.LargestPart(asked), request.Aborted)
                .ConfigureAwait(false);
        }

        PartialBodyResult? part = body.IsSequential || body.Length <= maxWhole
            ? await body.ReadAsync(file, 0, (int)Math.Min(maxWhole, body.Length), request.Aborted).ConfigureAwait(false)
            : null;
        if (part is null || part.Total > part.Payload.Length)
        {
            throw new InvalidOperationException(
                $"The response to {request.Code} has {part?.Total ?? body.Length} bytes. For an unsafe or block-wise request, "
                    + "the whole response is kept in memory, which allows at most "
                + $"CoapLimits.Blockwise.ResponseMemory ({maxWhole}).");
        }

        CoapResult whole = new CoapResult(part.Code, part.Payload).As(part);
        whole.OwnOptions.AddAll(part.Options);
        return whole;
    }
}
