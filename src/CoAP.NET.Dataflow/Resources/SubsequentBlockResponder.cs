using CoAP.NET.Blockwise;
using CoAP.NET.Requests;

namespace CoAP.NET.Resources;

/// <summary>
/// Serves the later blocks of a response in a stream or file. They belong to the request for the first block, which passed gates and
/// filters and was measured: none of that happens again.
/// </summary>
/// <param name="environment">The clock and the counters.</param>
/// <param name="served">The running requests.</param>
/// <param name="busy">The response if there is no room.</param>
/// <param name="reports">Logs errors.</param>
/// <param name="replies">Sends responses.</param>
internal sealed class SubsequentBlockResponder(
    CoapEnvironment environment, RunningRequestCounter served, CoapResult busy, HandlerDiagnostics reports, IResponseSender replies)
{
    /// <summary>Serves a block.</summary>
    /// <returns>False if the body has changed: the request then takes the normal path.</returns>
    public bool TryServe(CoapExchange exchange, ServedResponseBody body)
    {
        if (!body.TryOpen(exchange.Request.Message.OptionsToRead!.Block2!.Value.ByteOffset, out FileStream? file))
        {
            exchange.Body = null;
            return false;
        }

        if (served.Admit(exchange, continues: true, isOurs: false, busy) is { } refusal)
        {
            file?.Dispose();
            replies.Reply(exchange, refusal);
        }
        else
        {
            _ = ServeAsync(exchange, body, file);
        }

        return true;
    }

    private async Task ServeAsync(CoapExchange exchange, ServedResponseBody body, FileStream? file)
    {
        CoapResult result;
        RunningRequestQuotaLease holding = default;
        try
        {
            BlockValue asked = exchange.Request.Message.OptionsToRead!.Block2!.Value;
            Task<PartialBodyResult> reading = body.ReadAsync(file, asked.ByteOffset, exchange.Channel.LargestPart(asked), served.Aborted);
            if (!reading.IsCompleted)
            {
                holding = served.Quota.Enter(exchange.Channel, environment.Now);
            }

            result = await reading.ConfigureAwait(false);
        }
        catch (Exception exception) when ((exception is ObjectDisposedException or OperationCanceledException && body.IsClosed)
            || (exception is OperationCanceledException && served.Aborted.IsCancellationRequested))
        {
            // The transfer ended meanwhile, because its peer started again or the endpoint stops.
            environment.Counters.Add(CoapCounter.Busy);
            result = busy;
        }
#pragma warning disable CA1031 // streams are users' code and may throw anything; the peer gets an answer
        catch (Exception exception)
#pragma warning restore CA1031
        {
            result = reports.Fail(exchange, body.Route, exception);
        }

        served.Quota.Exit(holding);
        replies.Reply(exchange, result);
        served.Exit(exchange.Channel.Shard.Index);
    }
}
