using CoAP.NET.Exchanges;
using CoAP.NET.Options;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Resources;

/// <summary>
/// Serves the later blocks of an answer that lies in a stream or file. They belong to the request for the first one, which passed gates and filters and was measured: nothing of that is done again.
/// </summary>
internal sealed class LaterBlocks(ResourceInbound stage)
{
    /// <summary>Serves a block.</summary>
    /// <returns>False when the body is another one now: then the request goes the way of all.</returns>
    public bool TryServe(CoapExchange exchange, SeekableBody body)
    {
        if (!body.TryOpen(out SafeFileHandle? file))
        {
            exchange.Body = null;
            return false;
        }

        int shard = exchange.Channel.Shard.Index;
        if (stage.Served.TryEnter(shard) || stage.Served.TryEnterBeyond(shard, isOurs: false))
        {
            _ = ServeAsync(exchange, body, file);
        }
        else
        {
            file?.Dispose();
            stage.RefuseUnserved(exchange);
        }

        return true;
    }

    private async Task ServeAsync(CoapExchange exchange, SeekableBody body, SafeFileHandle? file)
    {
        CoapResult result;
        try
        {
            BlockValue asked = exchange.Request.Message.OptionsToRead!.Block2!.Value;
            long offset = Math.Min(asked.ByteOffset, body.Length);
            result = await body.ReadAsync(file, offset, exchange.Channel.LargestPart(asked), stage.Served.Aborted).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // streams are users' code and may throw anything; the peer gets an answer
        catch (Exception exception)
#pragma warning restore CA1031
        {
            result = stage.FailedLater(exchange, body, exception);
        }

        stage.FinishLater(exchange, result);
    }
}
