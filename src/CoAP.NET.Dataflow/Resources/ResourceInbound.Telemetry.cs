using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Resources;

// What is measured and logged around handlers. Nothing of it is done, and nothing allocated, when nobody listens.
public sealed partial class ResourceInbound
{
    private volatile bool _hasScopes;

    private ServerWatch Watch(CoapExchange exchange)
    {
        ServerWatch watch = new(_environment.Telemetry, exchange);
        exchange.Request.Watch = watch;
        return watch;
    }

    private bool IsSeen(CoapRequest request) => request.Watch is not null || (_hasScopes && Logger.IsEnabled(LogLevel.Error));

    // Being async, it leaves the caller's execution context as it was: span and scope are current in the handler and in what that awaits, and nowhere else.
    private async ValueTask<CoapResult> RunSeenAsync(RouteCall call)
    {
        CoapRequest request = call.Exchange.Request;
        if (request.Watch is ServerWatch watch)
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

    private IDisposable? BeginScope(CoapExchange exchange)
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

    private void End(ServerWatch watch, CoapResult result)
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

    private void Fail(ServerWatch watch, Exception error)
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
}
