using System.Text;
using CoAP.NET.Blockwise;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Resources;

// Running a handler on the thread at hand, and what becomes of its answer.
public sealed partial class ResourceInbound
{
    /// <summary>Runs the handler of a request on this thread, as far as it goes without waiting. Never throws.</summary>
    /// <param name="call">The request.</param>
    /// <param name="queue">Who is told when the answer comes later; null for nobody.</param>
    /// <param name="watch">Measures how long the thread was taken; null where that harms nobody.</param>
    /// <returns>Whether the request has its answer; if not, <see cref="WorkQueue.OnDone"/> follows.</returns>
    internal bool Execute(in RouteCall call, WorkQueue? queue, SlowWatch? watch)
    {
        CoapExchange exchange = call.Exchange;
        CoapRequest request = exchange.Request;
        if (request.Aborted.IsCancellationRequested)
        {
            // It waited for its turn until the endpoint stopped.
            Counters.Add(CoapCounter.Busy);
            Finish(exchange, _busy);
            return true;
        }

        ExecutionContext? context = ExecutionContext.Capture();
        SynchronizationContext? synchronization = SynchronizationContext.Current;
        long started = watch is null ? 0 : _environment.Now;
        TimeSpan pauses = watch is null ? default : GC.GetTotalPauseDuration();
        ValueTask<CoapResult> pending = default;
        CoapResult? result = null;
        Exception? error = null;
        bool done = true;
        bool mayHaveBeenLong = true;
        UserCode.Enter();
        try
        {
#pragma warning disable CA2012 // consumed here when it is complete, otherwise in AwaitAsync: never in both
            pending = IsSeen(request) ? RunSeenAsync(call) : call.Route.Handler(request, request.Aborted);
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
            mayHaveBeenLong = UserCode.Exit();
            RestoreContext(context, synchronization);
        }

        if (watch is not null && IsSlowBy(watch, mayHaveBeenLong, started, pauses))
        {
            Report(static (stage, route, _) => Log.HandlerIsSlow(stage.Logger, route.Template, SlowWatch.SlowFor.TotalMinutes), call.Route, null, exchange);
        }

        if (done && result is SeekableResult)
        {
            pending = new ValueTask<CoapResult>(result);
            done = false;
        }

        if (!done)
        {
            _ = AwaitAsync(exchange, call.Route, pending, queue);
            return false;
        }

        Finish(exchange, error is null ? Check(exchange, call.Route, result) : Fail(exchange, call.Route, error), error);
        return true;
    }

    private bool IsSlowBy(SlowWatch watch, bool mayHaveBeenLong, long started, TimeSpan pauses) =>
        !mayHaveBeenLong ? watch.ObserveQuick()
        : UserCode.Role is { IsLost: true } ? watch.ObserveTaken(started, _environment.Now, pauses)
        : watch.Observe(started, _environment.Now, pauses);

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

    private async Task AwaitAsync(CoapExchange exchange, Route route, ValueTask<CoapResult> pending, WorkQueue? queue)
    {
        try
        {
            CoapResult result;
            Exception? error = null;
            try
            {
                result = Check(exchange, route, await pending.ConfigureAwait(false));
                if (result is SeekableResult seekable)
                {
                    result = await SeekableReader.ReadAsync(exchange, seekable, route.Template, _environment).ConfigureAwait(false);
                }
            }
#pragma warning disable CA1031 // handlers may throw anything; the peer gets 5.00
            catch (Exception exception)
#pragma warning restore CA1031
            {
                error = exception;
                result = Fail(exchange, route, exception);
            }

            Finish(exchange, result, error);
        }
        finally
        {
            queue?.OnDone();
        }
    }

    /// <summary>The answer that a failed handler gives: no detail of the failure goes to the peer.</summary>
    private CoapResult Fail(CoapExchange exchange, Route route, Exception exception)
    {
        if (exception is OperationCanceledException && exchange.Request.Aborted.IsCancellationRequested)
        {
            Counters.Add(CoapCounter.Busy);
            return _busy;
        }

        if (exception is CoapContentException content && ReferenceEquals(content.Request, exchange.Request))
        {
            // The payload is the peer's mistake, not the handler's.
            return new CoapResult(content.Code, Encoding.UTF8.GetBytes(content.Message));
        }

        if (exception is CoapIncompleteBodyException && exchange.Body is { Owner: not null })
        {
            // Its peer's doing, not the handler's.
            return s_incomplete;
        }

        Counters.Add(CoapCounter.HandlerErrors);
        if (exchange.Request.Watch is ServerWatch watch)
        {
            Fail(watch, exception);
        }

        Report(static (stage, failed, error) => Log.HandlerFailed(stage.Logger, failed.Template, error!), route, exception, exchange);
        return s_internalServerError;
    }

    /// <summary>Turns what a handler returned into what may be sent.</summary>
    private CoapResult Check(CoapExchange exchange, Route route, CoapResult? result)
    {
        if (result is null)
        {
            Counters.Add(CoapCounter.HandlerErrors);
            Report(static (stage, failed, _) => Log.HandlerReturnedNull(stage.Logger, failed.Template), route, null, exchange);
            return s_internalServerError;
        }

        result = result.AnswerTo(exchange.Request.Code);
        if (result.Code == CoapCode.Deleted && exchange.Request.Code == CoapCode.Delete)
        {
            // Its observers are to learn that it is gone (RFC 7641 section 4.2): reading it tells them.
            _routes.Notify(RouteTable.OptionsOf(exchange.Request));
        }

        if (ResponseRules.IsInUnwantedFormat(exchange.Request, result, out CoapContentFormat format, out CoapContentFormat wanted) && !route.GetPlan(_environment).IgnoresAccept)
        {
            Report(
                static (stage, what, _) => Log.FormatNotAcceptable(stage.Logger, what.Route.Template, what.Format, what.Wanted),
                (Route: route, Format: format, Wanted: wanted),
                null,
                exchange);
            return s_notAcceptable;
        }

        result = ResponseRules.ValidIfKnown(exchange.Request, result);
        if (result.Payload.IsEmpty || (result.Code != CoapCode.Valid && result.Code != CoapCode.Continue))
        {
            return result;
        }

        // These codes are defined without a payload (RFC 7252 section 5.9.1.3, RFC 7959 section 2.9.1).
        Report(static (stage, failed, _) => Log.PayloadDropped(stage.Logger, failed.Template), route, null, exchange);
        return result.CopyWithoutPayload();
    }

    private void Finish(CoapExchange exchange, CoapResult result, Exception? error = null)
    {
        Reply(exchange, result, error);
        if (exchange.IsUnanswered)
        {
            _unanswered.Remove(exchange);
        }

        Served.Exit(exchange.Channel.Shard.Index);
    }

    /// <summary>A later block of an answer was read.</summary>
    internal void FinishLater(CoapExchange exchange, CoapResult result)
    {
        Reply(exchange, result);
        Served.Exit(exchange.Channel.Shard.Index);
    }

    /// <summary>The answer when a later block could not be read.</summary>
    internal CoapResult FailedLater(CoapExchange exchange, SeekableBody body, Exception exception)
    {
        if ((exception is ObjectDisposedException && body.IsClosed) || (exception is OperationCanceledException && Served.Aborted.IsCancellationRequested))
        {
            // The transfer ended meanwhile, as its peer began anew or the endpoint stops.
            Counters.Add(CoapCounter.Busy);
            return _busy;
        }

        Counters.Add(CoapCounter.HandlerErrors);
        Report(static (stage, route, error) => Log.HandlerFailed(stage.Logger, route, error!), body.Route, exception, exchange);
        return s_internalServerError;
    }

    internal void Reply(CoapExchange exchange, CoapResult result, Exception? error = null)
    {
        if (!exchange.TryClaimReply())
        {
            Counters.Add(CoapCounter.LateResponses);
            exchange.Channel.NoteDrop(CoapCounter.LateResponses);
            BodyPart.CloseUnlessKept(result);
            return;
        }

        if (exchange.Request.Watch is ServerWatch watch)
        {
            End(watch, result);
        }

        Offer(new CoapReply(exchange, result.Code.IsError && _routes.DescribesErrors ? Describe(exchange, result, error) : result));
    }

    // A logger is foreign code as well: when it throws, the answer still goes out.
    private void Report<T>(Action<ResourceInbound, T, Exception?> log, T what, Exception? exception, CoapExchange exchange)
    {
        using IDisposable? scope = BeginScope(exchange);
        try
        {
            log(this, what, exception);
        }
#pragma warning disable CA1031
        catch (Exception)
#pragma warning restore CA1031
        {
            Counters.Add(CoapCounter.StageErrors);
        }
    }
}
