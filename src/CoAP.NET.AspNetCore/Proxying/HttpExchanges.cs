using Microsoft.AspNetCore.Http;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>Answers HTTP clients with a resource of a CoAP server: by a response, by events, or by messages of a WebSocket.</summary>
internal sealed class HttpExchanges : IDisposable
{
    private readonly CoapHttpExchangeOptions _options;
    private readonly HttpForwarding _forwarding;
    private readonly EventStream _events;

    public HttpExchanges(ICoapObserver client, CoapHttpExchangeOptions options, bool fillsCache, TimeProvider clock)
    {
        _options = options;
        _forwarding = new HttpForwarding(client, options.Translator, options.Timeout, fillsCache);
        _events = new EventStream(client, clock);
    }

    public void Dispose() => _forwarding.Dispose();

    /// <summary>Answers.</summary>
    /// <param name="context">The request.</param>
    /// <param name="target">What is asked for.</param>
    /// <param name="hopLimit">The Hop-Limit; null for none.</param>
    /// <param name="relocate">The Location in HTTP for one of the target; null where there is none.</param>
    public async Task AnswerAsync(HttpContext context, CoapUri target, int? hopLimit, Func<CoapUri, string?> relocate)
    {
        bool isWebSocket = _options.WebSockets && context.WebSockets.IsWebSocketRequest;
        if (isWebSocket && !EventStream.MayOpen(context.Request))
        {
            await ProxyRefusal.WriteAsync(context, StatusCodes.Status403Forbidden,
                "WebSockets of pages of other origins are not served here.")
                .ConfigureAwait(false);
            return;
        }

        try
        {
            if (isWebSocket)
            {
                await _events.SendMessagesAsync(context, target).ConfigureAwait(false);
            }
            else if (_options.ServerSentEvents && EventStream.IsAskedFor(context.Request))
            {
                await _events.SendEventsAsync(context, target).ConfigureAwait(false);
            }
            else
            {
                await _forwarding.ForwardAsync(context, target, hopLimit, relocate).ConfigureAwait(false);
            }
        }
        catch (CoapResponseException failure) when (!context.Response.HasStarted)
        {
            int status = (int)_options.Translator.Codes.StatusOf(failure.Response.Code, hasPayload: true);
            await ProxyRefusal.WriteAsync(context, status, failure.Message).ConfigureAwait(false);
        }
        catch (CoapException failure) when (!context.Response.HasStarted)
        {
            await HttpForwarding.RefuseAsync(context, failure).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // Nobody waits for an answer.
        }
    }
}
