using System.Globalization;
using System.Net;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>
/// Handles a path that is a proxy between HTTP and CoAP: finds the target, checks whether it is allowed, and sends the request.
/// </summary>
internal sealed class ProxyEndpoint : IAsyncDisposable
{
    private const string HopLimitField = "CoAP-Hop-Limit";

    private static readonly CoapUri s_example = CoapUri.Parse("coap://s.example.com/light");

    private readonly CoapHttpProxyOptions _options;
    private readonly ILogger _logger;
    private readonly CoapClient _client;
    private readonly HttpToCoapResponder _exchanges;
    private readonly HttpRequestLimiter _places;
    private readonly ProxyTargetParser _targets;

    public ProxyEndpoint(CoapHttpProxyOptions options, ILoggerFactory loggers, TimeProvider clock)
    {
        _options = options;
        _logger = loggers.CreateLogger(ProxyLog.Category);
        CoapEndpointOptions endpoint = new() { LoggerFactory = loggers, TimeProvider = clock };
        options.ConfigureClient?.Invoke(endpoint);
        Func<string, CancellationToken, Task<IPAddress[]>> resolve = endpoint.Transports.ResolveHost;
        endpoint.Transports.ResolveHost = async (name, cancellationToken) =>
            options.Targets.Filter(name, await resolve(name, cancellationToken).ConfigureAwait(false));
        endpoint.Cache = options.Cache;
        _client = new CoapClient(endpoint);
        _exchanges = new HttpToCoapResponder(_client, options, fillsCache: options.Cache is not null, clock, _logger);
        _places = new HttpRequestLimiter(options);
        _targets = new ProxyTargetParser(options);
    }

    public ValueTask DisposeAsync()
    {
        _exchanges.Dispose();
        return _client.DisposeAsync();
    }

    public Task HandleAsync(HttpContext context) => _places.RunAsync(context, AnswerAsync);

    private async Task AnswerAsync(HttpContext context, CoapQuotaSource source)
    {
        string rest = RawTarget.Split(context, out string prefix);
        if (!_targets.TryFind(rest, out CoapUri? target, out string? error))
        {
            string example = prefix + _options.Parsed.Expand(s_example);
            await ProxyResponseWriter.RefuseAsync(
                context,
                StatusCodes.Status400BadRequest,
                error ?? $"There is no target. Write {_options.Template} after {prefix}, such as {example}.").ConfigureAwait(false);
            return;
        }

        if (Judge(context, target) is { } refusal)
        {
            ProxyLog.TargetDenied(_logger, context.Connection.RemoteIpAddress?.ToString() ?? "an unknown client", target.ToString());
            _options.Counters.CountDenied();
            await ProxyResponseWriter.RefuseAsync(context, StatusCodes.Status403Forbidden, refusal).ConfigureAwait(false);
            return;
        }

        if (!TryCountHops(context, out int hops))
        {
            await ProxyResponseWriter.RefuseAsync(context, StatusCodes.Status508LoopDetected,
                "The request ran out of hops (CoAP-Hop-Limit).").ConfigureAwait(false);
            return;
        }

        await _exchanges.AnswerAsync(context, source, target, hops, created => prefix + _options.Parsed.Expand(created))
            .ConfigureAwait(false);
    }

    private string? Judge(HttpContext context, CoapUri target)
    {
        if (target.Port == 0)
        {
            return "Port 0 is not a valid destination port.";
        }

        // A literal address is not resolved, so this is its last check.
        return !_options.Targets.MayAllow(target) ? ProxyResponseWriter.NotAsked
            : target.Scheme.StartsWith("coaps", StringComparison.Ordinal) && !context.Request.IsHttps
                && !_options.AllowSecuredTargetsToAnyone
                ? $"Targets of {target.Scheme} require https. Connect with it."
            : null;
    }

    private bool TryCountHops(HttpContext context, out int hops)
    {
        hops = _options.HopLimit;
        if (context.Request.Headers.TryGetValue(HopLimitField, out Microsoft.Extensions.Primitives.StringValues values)
            && int.TryParse(values.ToString(), NumberStyles.None, CultureInfo.InvariantCulture, out int left))
        {
            hops = Math.Min(hops, left - 1);
        }

        return hops > 0;
    }
}
