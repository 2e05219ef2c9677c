using CoAP.NET.Channels;
using CoAP.NET.Files;
using CoAP.NET.Requests;
using CoAP.NET.Transports.Tcp;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Resources;

/// <summary>Measures and logs around handlers. Without a listener it does nothing and allocates nothing.</summary>
/// <param name="environment">Provides counters, telemetry and log.</param>
internal sealed class HandlerDiagnostics(CoapEnvironment environment)
{
    private readonly RateLimitedLog _shortage = new(environment.TimeProvider);

    private volatile bool _hasScopes = environment.Logger is not NullLogger;

    private ILogger Logger => environment.Logger;

    private CoapCounters Counters => environment.Counters;

    public ServerRequestMeter Measure(CoapExchange exchange)
    {
        ServerRequestMeter meter = new(environment.Telemetry, exchange);
        exchange.Request.Meter = meter;
        return meter;
    }

    /// <summary>Returns whether a span or scope is current while the handler of a request runs.</summary>
    public bool IsSeen(CoapRequestContext request) => request.Meter is not null || (_hasScopes && Logger.IsEnabled(LogLevel.Error));

    /// <summary>Runs a handler with span and scope.</summary>
    // Because it is async, it restores the caller's execution context: span and scope are current only in the handler and in what it
    // awaits.
    public async ValueTask<CoapResult> RunSeenAsync(PendingHandlerCall call)
    {
        CoapRequestContext request = call.Exchange.Request;
        if (request.Meter is { } meter)
        {
            try
            {
                meter.Begin();
            }
#pragma warning disable CA1031 // listeners are foreign code
            catch (Exception exception)
#pragma warning restore CA1031
            {
                ReportListener(exception);
            }
        }

        using IDisposable? scope = BeginScope(call.Exchange);
        return await call.Route.Handler(request, request.Aborted).ConfigureAwait(false);
    }

    /// <summary>Starts a log scope with the data of a request; null if no logger uses it.</summary>
    public IDisposable? BeginScope(CoapExchange exchange)
    {
        if (!_hasScopes)
        {
            return null;
        }

        CoapMessage message = exchange.Request.Message;
        IDisposable? scope = MessageLogScope.Begin(Logger, exchange.Channel, message.Token, message.MessageId);
        if (scope is null)
        {
            // The logger does not support scopes: do not try again for each request.
            _hasScopes = false;
        }

        return scope;
    }

    public void End(ServerRequestMeter meter, CoapResult result)
    {
        try
        {
            meter.End(result);
        }
#pragma warning disable CA1031 // listeners are foreign code
        catch (Exception exception)
#pragma warning restore CA1031
        {
            ReportListener(exception);
        }
    }

    /// <summary>Records that a handler, or the stream in its result, failed.</summary>
    /// <returns>The response, which has no details of the failure.</returns>
    public CoapResult Fail(CoapExchange exchange, string route, Exception error)
    {
        if (error is CoapContentException { Result: { } chosen })
        {
            return chosen;
        }

        Counters.Add(CoapCounter.HandlerErrors);
        try
        {
            exchange.Request.Meter?.Failed(error);
        }
#pragma warning disable CA1031 // listeners are foreign code
        catch (Exception exception)
#pragma warning restore CA1031
        {
            ReportListener(exception);
        }

        if (DescriptorShortage.IsCauseOf(error))
        {
            if (_shortage.IsDue())
            {
                Report(static (logger, failed, error) => ResourceLog.NoDescriptor(logger, failed, FileDescriptorHeadroom.Limit, error!),
                    route, error, exchange);
            }

            return CoapResults.ServiceUnavailable(TimeSpan.FromSeconds(environment.Limits.Requests.BusyMaxAge));
        }

        Report(static (logger, failed, error) => ResourceLog.HandlerFailed(logger, failed, error!), route, error, exchange);
        return ResourceInboundBlock.InternalServerError;
    }

    private void ReportListener(Exception exception)
    {
        Counters.Add(CoapCounter.StageErrors);
        try
        {
            Log.ListenerFailed(Logger, exception);
        }
#pragma warning disable CA1031 // and so is a logger
        catch (Exception)
#pragma warning restore CA1031
        {
            Counters.Add(CoapCounter.StageErrors);
        }
    }

    // A logger is foreign code too: if it throws, the response is still sent.
    public void Report<T>(Action<ILogger, T, Exception?> log, T what, Exception? exception, CoapExchange exchange)
    {
        using IDisposable? scope = BeginScope(exchange);
        try
        {
            log(Logger, what, exception);
        }
#pragma warning disable CA1031
        catch (Exception)
#pragma warning restore CA1031
        {
            Counters.Add(CoapCounter.StageErrors);
        }
    }
}
