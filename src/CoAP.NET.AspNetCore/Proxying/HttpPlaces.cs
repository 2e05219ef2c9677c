using System.Net;
using CoAP.NET.Proxy;
using CoAP.NET.Transports;
using Microsoft.AspNetCore.Http;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>The places that a path has for requests that are under way, with a share for each source. Thread-safe.</summary>
/// <param name="options">How many there are.</param>
internal sealed class HttpPlaces(CoapHttpExchangeOptions options)
{
    private readonly CoapRequestShares _shares = new(options.MaxRequests, options.MaxRequestsPerSource);

    /// <summary>Answers a request in a place of its source; 503 where there is none.</summary>
    /// <param name="context">The request.</param>
    /// <param name="answer">Answers it. It ends when nothing is done for the request any more, though its client may have gone
    /// before.</param>
    public async Task RunAsync(HttpContext context, Func<HttpContext, Task> answer)
    {
        CoapSource source = SourceOf(context);
        if (!_shares.TryEnter(source))
        {
            options.Counters.CountBusy();
            context.Response.Headers.RetryAfter = "1";
            await ProxyRefusal.WriteAsync(context, StatusCodes.Status503ServiceUnavailable,
                "Too many requests are under way.").ConfigureAwait(false);
            return;
        }

        options.Counters.Begin();
        try
        {
            await answer(context).ConfigureAwait(false);
        }
        finally
        {
            options.Counters.End();
            _shares.Exit(source);
        }
    }

    // Who has proven who he is counts as himself, as many may come by the address of one front end.
    private static CoapSource SourceOf(HttpContext context) =>
        CoapSourceRule.Default.Of(
            CoapAddress.FromIPEndPoint(
                new IPEndPoint(context.Connection.RemoteIpAddress ?? IPAddress.None, context.Connection.RemotePort)),
            PeerIdentity.Of(context, context.Request.IsHttps));
}
