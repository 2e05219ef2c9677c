using CoAP.NET.Exchanges;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Resources;

/// <summary>What is measured and logged around handlers. Nothing of it is done, and nothing allocated, when nobody listens.</summary>
/// <param name="environment">For counters, telemetry and log.</param>
internal sealed class ServingReports(CoapEnvironment environment)
{
    private volatile bool _hasScopes = environment.Logger is not NullLogger;

    private ILogger Logger => environment.Logger;

    private CoapCounters Counters => environment.Counters;

    /// <summary>Begins to measure a request.</summary>
    public ServerWatch Watch(CoapExchange exchange)
    {
        ServerWatch watch = new(environment.Telemetry, exchange);
        exchange.Request.Watch = watch;
        return watch;
    }

    /// <summary>Whether span or scope are current while the handler of a request runs.</summary>
    public bool IsSeen(CoapRequest request) => request.Watch is not null || (_hasScopes && Logger.IsEnabled(LogLevel.Error));

    /// <summary>Runs a handler with span and scope.</summary>
    // Being async, it leaves the caller's execution context as it was: span and scope are current in the handler and in what that awaits,
    // and
    // nowhere else.
    public async ValueTask<CoapResult> RunSeenAsync(RouteCall call)
    {
        CoapRequest request = call.Exchange.Request;
        if (request.Watch is { } watch)
        {
            try
            {
                watch.Begin();
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

    /// <summary>A scope of the log with what is known of a request; null where nobody wants it.</summary>
    public IDisposable? BeginScope(CoapExchange exchange)
    {
        if (!_hasScopes)
        {
            return null;
        }

        CoapMessage message = exchange.Request.Message;
        IDisposable? scope = MessageScope.Begin(Logger, exchange.Channel, message.Token, message.MessageId);
        if (scope is null)
        {
            // The logger knows no scopes: it is not asked for each request again.
            _hasScopes = false;
        }

        return scope;
    }

    /// <summary>A request has its answer.</summary>
    public void End(ServerWatch watch, CoapResult result)
    {
        try
        {
            watch.End(result);
        }
#pragma warning disable CA1031 // listeners are foreign code
        catch (Exception exception)
#pragma warning restore CA1031
        {
            ReportListener(exception);
        }
    }

    /// <summary>The handler of a request failed.</summary>
    public void Fail(ServerWatch watch, Exception error)
    {
        try
        {
            watch.Failed(error);
        }
#pragma warning disable CA1031 // listeners are foreign code
        catch (Exception exception)
#pragma warning restore CA1031
        {
            ReportListener(exception);
        }
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

    /// <summary>Tells the log.</summary>
    // A logger is foreign code as well: when it throws, the answer still goes out.
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
