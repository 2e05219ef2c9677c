using CoAP.NET.Blockwise;
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

        if (stage.Admission.Enter(exchange, continues: true, isOurs: false) is { } refusal)
        {
            file?.Dispose();
            stage.Reply(exchange, refusal);
        }
        else
        {
            _ = ServeAsync(exchange, body, file);
        }

        return true;
    }

    private async Task ServeAsync(CoapExchange exchange, SeekableBody body, SafeFileHandle? file)
    {
        CoapResult result;
        ServedHolding holding = default;
        try
        {
            BlockValue asked = exchange.Request.Message.OptionsToRead!.Block2!.Value;
            long offset = Math.Min(asked.ByteOffset, body.Length);
            Task<BodyPart> reading = body.ReadAsync(file, offset, exchange.Channel.LargestPart(asked), stage.Served.Aborted);
            if (!reading.IsCompleted)
            {
                holding = stage.Served.Shares.Enter(exchange.Channel, stage.Environment.Now);
            }

            result = await reading.ConfigureAwait(false);
        }
#pragma warning disable CA1031 // streams are users' code and may throw anything; the peer gets an answer
        catch (Exception exception)
#pragma warning restore CA1031
        {
            result = stage.FailedLater(exchange, body, exception);
        }

        stage.Served.Shares.Exit(holding);
        stage.FinishLater(exchange, result);
    }
}
