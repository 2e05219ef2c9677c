using CoAP.NET.Cryptography;
using CoAP.NET.Proxy;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>Answers HTTP clients with a resource of a CoAP server: with a response, with events, or with WebSocket messages.</summary>
internal sealed class HttpToCoapResponder : IDisposable
{
    private readonly CoapHttpToCoapOptions _options;
    private readonly HttpToCoapForwarder _forwarding;
    private readonly EventStream _events;
    private readonly ILogger _logger;

    /// <summary>Creates the exchanges.</summary>
    /// <param name="client">Sends the requests to the CoAP server.</param>
    /// <param name="options">The options of the exchange.</param>
    /// <param name="fillsCache">Whether the client has a cache, which is filled even after the HTTP client has disconnected.</param>
    /// <param name="clock">The clock.</param>
    /// <param name="logger">The log.</param>
    public HttpToCoapResponder(ICoapClient client, CoapHttpToCoapOptions options, bool fillsCache, TimeProvider clock, ILogger logger)
    {
        _options = options;
        _logger = logger;
        _forwarding = new HttpToCoapForwarder(client, options, fillsCache, clock);
        _events = new EventStream(client, options, clock);
    }

    public void Dispose() => _forwarding.Dispose();

    /// <summary>Answers a request.</summary>
    /// <param name="context">The request.</param>
    /// <param name="source">The source of the request.</param>
    /// <param name="target">The target.</param>
    /// <param name="hopLimit">The Hop-Limit; null for none.</param>
    /// <param name="relocate">Returns the HTTP Location for a CoAP Location; null if there is none.</param>
    public async Task AnswerAsync(
        HttpContext context, CoapQuotaSource source, CoapUri target, int? hopLimit, Func<CoapUri, string?> relocate)
    {
        bool isWebSocket = _options.WebSockets && context.WebSockets.IsWebSocketRequest;
        if (isWebSocket && !EventStream.MayOpen(context.Request, _options))
        {
            await ProxyResponseWriter.RefuseAsync(context, StatusCodes.Status403Forbidden,
                $"WebSockets from pages of other origins are not allowed here. For a page of this server: {HostHeaderCheck.Remedy}")
                .ConfigureAwait(false);
            return;
        }

        if (isWebSocket && !PlatformCryptographyAvailability.IsAvailable)
        {
            // ASP.NET Core computes the handshake with SHA-1; a client must not end the process.
            await ProxyResponseWriter.RefuseAsync(
                context, StatusCodes.Status501NotImplemented, PlatformCryptographyAvailability.Missing("A WebSocket"))
                .ConfigureAwait(false);
            return;
        }

        CoapRequest? observe = isWebSocket || (_options.ServerSentEvents && EventStream.IsAskedFor(context.Request))
            ? new CoapRequest(CoapMethod.Get, target.ToString()) { OnBehalfOf = source, Timeout = _options.Timeout }
            : null;
        try
        {
            await (observe is null ? _forwarding.ForwardAsync(context, source, target, hopLimit, relocate)
                : isWebSocket ? _events.SendMessagesAsync(context, observe)
                : _events.SendEventsAsync(context, observe)).ConfigureAwait(false);
        }
        catch (Exception failure) when (!context.Response.HasStarted && OfBody(failure) is { } broken)
        {
            await ProxyResponseWriter.RefuseAsync(context, broken.StatusCode, broken.Message).ConfigureAwait(false);
        }
        catch (CoapResponseException failure) when (observe is not null && !context.Response.HasStarted)
        {
            await _forwarding.RefuseAsync(context, observe, failure.Response).ConfigureAwait(false);
        }
        catch (CoapException failure) when (!context.Response.HasStarted)
        {
            await RefuseAsync(context, target, failure).ConfigureAwait(false);
        }
        catch (HttpRequestException exception) when (exception.InnerException is CoapException failure && !context.Response.HasStarted)
        {
            await RefuseAsync(context, target, failure).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is ClientStalledException
            || (exception is OperationCanceledException or IOException && context.RequestAborted.IsCancellationRequested))
        {
            // The client has disconnected.
        }
    }

    // Finds the failure of a request body, by the server or by this proxy; the reader wraps it.
    private static BadHttpRequestException? OfBody(Exception? failure)
    {
        while (failure is not (null or BadHttpRequestException))
        {
            failure = failure.InnerException;
        }

        return failure as BadHttpRequestException;
    }

    private Task RefuseAsync(HttpContext context, CoapUri target, CoapException failure)
    {
        if (failure is not CoapTargetDeniedException)
        {
            if (!ProxyResponseWriter.TellsTarget(_options))
            {
                ProxyLog.TargetFailed(_logger, context.Request.Path.ToUriComponent(), target.ToString(), failure.Message);
            }

            return ProxyResponseWriter.RefuseAsync(context, _options, failure);
        }

        ProxyLog.TargetDenied(_logger, context.Connection.RemoteIpAddress?.ToString() ?? "an unknown client", target.ToString());
        _options.Counters.CountDenied();
        return ProxyResponseWriter.RefuseAsync(context, StatusCodes.Status403Forbidden, ProxyResponseWriter.NotAsked);
    }
}
