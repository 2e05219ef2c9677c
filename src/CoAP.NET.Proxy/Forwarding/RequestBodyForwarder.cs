using CoAP.NET.Diagnostics;
using CoAP.NET.Guarding;

namespace CoAP.NET.Proxy.Forwarding;

/// <summary>Forwards request bodies that arrive in blocks. Thread-safe.</summary>
/// <param name="options">The options of the proxy.</param>
/// <param name="admission">The places of pending requests.</param>
/// <param name="counts">The counters.</param>
/// <param name="clock">The clock.</param>
internal sealed class RequestBodyForwarder(
    CoapProxyOptions options, PendingRequestAdmission admission, EventCounter<ProxyCounterKind> counts, TimeProvider clock)
{
    /// <summary>
    /// Forwards a request whose body arrives in blocks: as a whole if it is small or the upstream or method requires it, otherwise while it
    /// arrives. Frees the place of the request at the end.
    /// </summary>
    public async Task<CoapResult> PassAsync(
        CoapForwardedRequest onward,
        CoapQuotaSource source,
        UpstreamClient upstream,
        Func<CoapForwardedRequest, CancellationToken, Task<CoapResult>> send,
        CancellationToken cancellationToken)
    {
        ForwardedRequestBody body = new(onward.Received, options.Timeout, clock, cancellationToken);
        admission.Add(source, body);
        bool hasPlace = true;
        try
        {
            // The body of a safe request is part of the cache key and must be complete.
            bool streams = !onward.Code.IsSafe && upstream.StreamsBodyOf((CoapMethod)onward.Code.Value, onward.Options);
            if (!await body.TryHoldAsync(streams ? options.Limits.StreamsAbove : options.Limits.MaxBodySize).ConfigureAwait(false))
            {
                if (!streams)
                {
                    return CoapResults.RequestEntityTooLarge(options.Limits.MaxBodySize);
                }

                counts.Add(ProxyCounterKind.StreamedUploads);
                return await send(onward.With(body), body.Ended).ConfigureAwait(false);
            }

            // The client has sent everything, and waits for the server like all others.
            hasPlace = admission.Remove(source, body);
            body.End();
            return hasPlace ? await send(onward.With(body), cancellationToken).ConfigureAwait(false) : PendingRequestAdmission.Busy;
        }
        catch (Exception exception) when (body.Explains(exception))
        {
            return Fail(body);
        }
        finally
        {
            if (admission.Remove(source, body) || (hasPlace && !body.IsEvicted))
            {
                admission.Quota.Exit(source);
            }

            body.End();
        }
    }

    private CoapResult Fail(ForwardedRequestBody body)
    {
        if (body.IsEvicted)
        {
            return PendingRequestAdmission.Busy;
        }

        if (body.WaitsForServer)
        {
            counts.Add(ProxyCounterKind.Timeouts);
            return CoapResults.Status(CoapCode.GatewayTimeout, "The server did not read the body in time.");
        }

        counts.Add(ProxyCounterKind.UploadsAbandoned);
        return CoapResults.Status(
            CoapCode.RequestEntityIncomplete,
            body.IsWantedAgain ? "The server needs the body again. Start over with block 0." : "The transfer of the body was aborted. "
                + "Start over with block 0.");
    }
}
