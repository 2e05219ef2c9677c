using CoAP.NET.Guarding;
using CoAP.NET.Http.Translating;
using Microsoft.AspNetCore.Http;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>The places of a path for pending requests, with a share for each source. Thread-safe.</summary>
internal sealed class HttpRequestLimiter(CoapHttpToCoapOptions options)
{
    private readonly SourceQuota _shares = new(options.MaxRequests, options.MaxRequestsPerSource);

    /// <summary>Answers a request in a place of its source; 503 if none is free.</summary>
    /// <param name="context">The request.</param>
    /// <param name="answer">Answers the request of this source. It completes when all work for the request has ended, perhaps after its
    /// client has disconnected.</param>
    public async Task RunAsync(HttpContext context, Func<HttpContext, CoapQuotaSource, Task> answer)
    {
        CoapQuotaSource source = HttpContextPeerIdentity.SourceOf(context);
        if (!_shares.TryEnter(source))
        {
            options.Counters.CountBusy();
            await ProxyResponseWriter.RefuseAsync(context, StatusCodes.Status503ServiceUnavailable,
                "Too many requests are pending. Retry later.", HttpErrorResponse.WhenBusy).ConfigureAwait(false);
            return;
        }

        options.Counters.Begin();
        try
        {
            await answer(context, source).ConfigureAwait(false);
        }
        finally
        {
            options.Counters.End();
            _shares.Exit(source);
        }
    }
}
