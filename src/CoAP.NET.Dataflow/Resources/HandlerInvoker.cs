using System.Text;
using CoAP.NET.Requests;

namespace CoAP.NET.Resources;

/// <summary>Runs handlers on the current thread, and processes their responses.</summary>
/// <param name="stage">Receives the responses.</param>
/// <param name="environment">Provides clock and counters.</param>
/// <param name="routes">Receives reports of deleted resources.</param>
/// <param name="reports">Measures and logs.</param>
internal sealed class HandlerInvoker(ResourceInboundBlock stage, CoapEnvironment environment, RouteTable routes, HandlerDiagnostics reports)
{
    /// <summary>The block that offers the responses.</summary>
    public ResourceInboundBlock Stage => stage;

    /// <summary>Runs the handler of a request on this thread, up to its first wait. Never throws.</summary>
    /// <param name="call">The request.</param>
    /// <param name="queue">Notified if the response comes later; null for none.</param>
    /// <param name="cost">Judges how long the thread was busy; null if that does no harm.</param>
    /// <returns>Whether the request has its response; if not, <see cref="HandlerWorkQueue.OnDone"/> follows.</returns>
    public bool Execute(in PendingHandlerCall call, HandlerWorkQueue? queue, UserCodeCost? cost)
    {
        CoapExchange exchange = call.Exchange;
        CoapRequestContext request = exchange.Request;
        if (request.Aborted.IsCancellationRequested)
        {
            // It waited in the queue until the endpoint stopped.
            environment.Counters.Add(CoapCounter.Busy);
            stage.Finish(exchange, stage.Busy);
            return true;
        }

        ExecutionContext? context = ExecutionContext.Capture();
        SynchronizationContext? synchronization = SynchronizationContext.Current;
        long started = cost is null ? 0 : environment.Now;
        TimeSpan pauses = cost is null ? default : GC.GetTotalPauseDuration();
        ValueTask<CoapResult> pending = default;
        CoapResult? result = null;
        Exception? error = null;
        bool done = true;
        bool mayHaveBeenLong = true;
        UserCodeScope.Enter();
        try
        {
#pragma warning disable CA2012 // consumed here when it is complete, otherwise in AwaitAsync: never in both
            pending = reports.IsSeen(request) ? reports.RunSeenAsync(call) : call.Route.Handler(request, request.Aborted);
#pragma warning restore CA2012
            if (pending.IsCompleted)
            {
                result = pending.Result;
            }
            else
            {
                done = false;
            }
        }
#pragma warning disable CA1031 // handlers may throw anything; the peer gets 5.00
        catch (Exception exception)
#pragma warning restore CA1031
        {
            error = exception;
        }
        finally
        {
            mayHaveBeenLong = UserCodeScope.Exit();
            RestoreContext(context, synchronization);
        }

        if (done && result is StreamOrFileResult)
        {
            pending = new ValueTask<CoapResult>(result);
            done = false;
        }

        if (done)
        {
            if (request.Opened is not null)
            {
                ResultBodyStreamDisposer.OnAnswered(request, null, null, call.Route.Template.Text, environment);
            }

            stage.Finish(exchange, error is null ? Check(exchange, call.Route, result) : Fail(exchange, call.Route, error), error);
        }

        // After the answer: what the library computed of a large one, such as its entity-tag, took the thread as well.
        if (cost is not null && (mayHaveBeenLong || UserCodeScope.Role is { IsCrowded: true }))
        {
            Judge(cost, TimeSpan.FromTicks(environment.Now - started) - (GC.GetTotalPauseDuration() - pauses), call);
        }
        else
        {
            cost?.ObserveQuick();
        }

        if (!done)
        {
            _ = AwaitAsync(exchange, call.Route, pending, queue);
        }

        return done;
    }

    private void Judge(UserCodeCost cost, TimeSpan duration, in PendingHandlerCall call)
    {
        if (cost.Observe(duration, UserCodeScope.Role is { IsCrowded: true }) && call.Route.GetPlan(environment).LogsBlocking)
        {
            reports.Report(
                static (logger, route, _) => ResourceLog.HandlerIsSlow(logger, route.Template.Text), call.Route, null, call.Exchange);
        }
    }

    // An AsyncLocal or SynchronizationContext that a handler set must not reach the next one on this thread.
    private static void RestoreContext(ExecutionContext? context, SynchronizationContext? synchronization)
    {
        if (context is not null && !ReferenceEquals(ExecutionContext.Capture(), context))
        {
            ExecutionContext.Restore(context);
        }

        if (!ReferenceEquals(SynchronizationContext.Current, synchronization))
        {
            SynchronizationContext.SetSynchronizationContext(synchronization);
        }
    }

    private async Task AwaitAsync(CoapExchange exchange, Route route, ValueTask<CoapResult> pending, HandlerWorkQueue? queue)
    {
        try
        {
            CoapResult? given = null;
            CoapResult? result = null;
            Exception? error = null;
            bool isSettled = false;
            try
            {
                given = await pending.ConfigureAwait(false);
                result = Check(exchange, route, given);
                isSettled = true;
                ResultBodyStreamDisposer.OnAnswered(exchange.Request, given, result, route.Template.Text, environment);
                if (result is StreamOrFileResult seekable)
                {
                    result = await SeekableReader.ReadAsync(exchange, seekable, route.Template.Text, environment).ConfigureAwait(false);
                }
            }
#pragma warning disable CA1031 // handlers may throw anything; the peer gets 5.00
            catch (Exception exception)
#pragma warning restore CA1031
            {
                error = exception;
                result = Fail(exchange, route, exception);
            }

            if (!isSettled)
            {
                ResultBodyStreamDisposer.OnAnswered(exchange.Request, given, null, route.Template.Text, environment);
            }

            stage.Finish(exchange, result, error);
        }
        finally
        {
            queue?.OnDone();
        }
    }

    /// <summary>Returns the response for a failed handler, which has no details of the failure.</summary>
    /// <param name="exchange">The request.</param>
    /// <param name="route">Its route.</param>
    /// <param name="exception">The exception.</param>
    public CoapResult Fail(CoapExchange exchange, Route route, Exception exception)
    {
        if (exception is OperationCanceledException && exchange.Request.Aborted.IsCancellationRequested)
        {
            environment.Counters.Add(CoapCounter.Busy);
            return stage.Busy;
        }

        if (exception is CoapContentException content && content.IsAbout(exchange.Request))
        {
            // The payload is an error of the peer, not of the handler.
            return content.Result ?? new CoapResult(content.Code, Encoding.UTF8.GetBytes(content.Message));
        }

        // The peer caused an incomplete body, not the handler.
        return exception is CoapException { Error: CoapError.BodyIncomplete } && exchange.Body is { Transfer: not null }
            ? ResourceInboundBlock.Incomplete
            : reports.Fail(exchange, route.Template.Text, exception);
    }

    // A reading that is stale for observers after a while is stale for everyone else, too. Longer times are for observers only: who does
    // not observe learns of no change.
    private CoapResult FreshAsForObservers(CoapRequestContext request, Route route, CoapResult result)
    {
        if (result.Code.IsSuccess && (request.Code == CoapCode.Get || request.Code == CoapCode.Fetch)
            && route.GetPlan(environment).Observing is { MaxAge: < CoapResult.DefaultMaxAge } observing
            && result.GetType() == typeof(CoapResult) && result.OptionsToRead?.Contains(OptionNumber.MaxAge) != true)
        {
            // A result may belong to many responses, so it is not changed.
            result = result.Copy();
            result.OwnOptions.AddUInt(OptionNumber.MaxAge, observing.MaxAge);
        }

        return result;
    }

    /// <summary>Converts the result of a handler into a valid response.</summary>
    private CoapResult Check(CoapExchange exchange, Route route, CoapResult? result)
    {
        if (result is null)
        {
            environment.Counters.Add(CoapCounter.HandlerErrors);
            reports.Report(
                static (logger, failed, _) => ResourceLog.HandlerReturnedNull(logger, failed.Template.Text), route, null, exchange);
            return ResourceInboundBlock.InternalServerError;
        }

        result = result.AnswerTo(exchange.Request.Code);
        if (result.Code == CoapCode.Deleted && exchange.Request.Code == CoapCode.Delete && routes.Proxy?.Route != route)
        {
            // Its observers must learn that it was deleted (RFC 7641 section 4.2): a read notifies them.
            routes.Notify(RouteTable.OptionsOf(exchange.Request));
        }

        if (AcceptAndETagRules.IsInUnwantedFormat(exchange.Request, result, out CoapContentFormat format, out CoapContentFormat wanted)
            && !route.GetPlan(environment).IgnoresAccept)
        {
            reports.Report(
                static (logger, what, _) => ResourceLog.FormatNotAcceptable(logger, what.Route.Template.Text, what.Format, what.Wanted),
                (Route: route, Format: format, Wanted: wanted),
                null,
                exchange);
            return EffectiveRouteSettings.NotAcceptable;
        }

        result = FreshAsForObservers(exchange.Request, route, AcceptAndETagRules.ValidIfKnown(exchange.Request, result));
        if (result.Payload.IsEmpty || (result.Code != CoapCode.Valid && result.Code != CoapCode.Continue))
        {
            return result;
        }

        // These codes have no payload (RFC 7252 section 5.9.1.3, RFC 7959 section 2.9.1).
        reports.Report(static (logger, failed, _) => ResourceLog.PayloadDropped(logger, failed.Template.Text), route, null, exchange);
        return result.CopyWithoutPayload();
    }
}
