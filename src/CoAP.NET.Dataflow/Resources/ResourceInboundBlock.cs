using CoAP.NET.Observing.Server;
using CoAP.NET.Requests;

namespace CoAP.NET.Resources;

/// <summary>
/// The Resource stage: finds the route of a request, runs its handler and offers the response. If a handler completes at once, the stage
/// offers the response before the call returns, on the same thread; otherwise on the thread that completes the handler. Every request gets
/// exactly one response.
/// </summary>
internal sealed class ResourceInboundBlock : InlineBlock<CoapExchange, CoapServerReply>, IResponseSender
{
    // One object each for all requests: results do not change once they are sent.
    private static readonly CoapResult s_proxyingNotSupported = new(CoapCode.ProxyingNotSupported);
    private static readonly CoapResult s_notImplemented = new(CoapCode.NotImplemented);
    private static readonly CoapResult s_notFound = new(CoapCode.NotFound);
    private static readonly CoapResult s_methodNotAllowed = new(CoapCode.MethodNotAllowed);
    private static readonly CoapResult s_notForGroups = new(CoapCode.NotFound) { AnswersGroup = false };

    /// <summary>5.00.</summary>
    internal static readonly CoapResult InternalServerError = new(CoapCode.InternalServerError);

    /// <summary>4.08.</summary>
    internal static readonly CoapResult Incomplete = new(CoapCode.RequestEntityIncomplete);

    private readonly CoapEnvironment _environment;
    private readonly RouteTable _routes;
    private readonly HandlerDiagnostics _reports;
    private readonly ErrorResponseDescriber _errors;
    private readonly HandlerInvoker _run;
    private readonly SubsequentBlockResponder _subsequentBlocks;
    private readonly UnansweredServerRequests _unanswered;

    // For a response that replaces one that a user's block declined or lost: it bypasses that block.
    private readonly InlineTarget<CoapServerReply>? _exchangesOut;

    internal ResourceInboundBlock(
        CoapEnvironment environment, RouteTable routes, RunningRequestCounter served, InlineTarget<CoapServerReply>? exchangesOut = null)
        : base(environment.Counters, environment.Logger)
    {
        _environment = environment;
        _routes = routes;
        Busy = MakeBusy(environment);
        _reports = new HandlerDiagnostics(environment);
        _errors = new ErrorResponseDescriber(environment, routes, _reports);
        _run = new HandlerInvoker(this, environment, routes, _reports);
        Served = served;
        _unanswered = new UnansweredServerRequests(environment, served);
        _exchangesOut = exchangesOut;
        _subsequentBlocks = new SubsequentBlockResponder(environment, served, Busy, _reports, this);
    }

    /// <summary>5.03 with Max-Age.</summary>
    internal static CoapResult MakeBusy(CoapEnvironment environment) =>
        new CoapResult(CoapCode.ServiceUnavailable) { IsRefusal = true }
            .WithMaxAge(TimeSpan.FromSeconds(environment.Limits.Requests.BusyMaxAge));

    internal RunningRequestCounter Served { get; }

    /// <summary>5.03 with Max-Age.</summary>
    internal CoapResult Busy { get; }

    internal CoapEnvironment Environment => _environment;

    internal override void Process(CoapExchange item)
    {
        if (item.Body is { Later: { } later } && _subsequentBlocks.TryServe(item, later))
        {
            return;
        }

        CoapRequestContext request = item.Request;
        ServerRequestMeter? meter = _environment.Telemetry.IsServing ? _reports.Measure(item) : null;
        CoapOptionCollection options = RouteTable.OptionsOf(request);
        if (OptionRules.IsProxyRequest(options))
        {
            if (_routes.Proxy is { } proxy)
            {
                Admit(item, null, proxy.Route, 0, meter);
            }
            else
            {
                Reply(item, s_proxyingNotSupported);
            }
        }
        else if (_routes.Find(options, out int firstSegment) is not { } place)
        {
            // A pure client answers this on a connection, where both ends may send requests (RFC 8323 section 3.3). An unknown method is
            // refused for every path (RFC 7252 section 5.8).
            Reply(
                item,
                item.Channel.IsReliable && _routes.IsEmpty ? s_notImplemented
                    : request.Method > CoapMethod.IPatch ? s_methodNotAllowed : s_notFound);
        }
        else if (place[request.Code] is not { } route)
        {
            Reply(item, place.Serves(request, _environment) ? s_methodNotAllowed : s_notFound);
        }
        else
        {
            Admit(item, place, route, firstSegment, meter);
        }
    }

    // A proxy route has no place in the tree: it handles all paths and methods.
    private void Admit(CoapExchange item, RouteNode? place, Route route, int firstSegment, ServerRequestMeter? meter)
    {
        CoapRequestContext request = item.Request;
        if (request.Code == CoapCode.Get || request.Code == CoapCode.Delete)
        {
            // Payload is not defined for them, so it is ignored (RFC 7252 section 5.5).
            request.Message.Payload = default;
        }

        meter?.Route = route.Template.Text;
        EffectiveRouteSettings plan = route.GetPlan(_environment);
        if (request.IsMulticast && !plan.AllowsMulticast)
        {
            Reply(item, s_notForGroups);
            return;
        }

        if (item.Observing is Notification { IsShared: true } run && plan.Observing is { SameForAll: not true })
        {
            // A filter or authorization was added to the route.
            run.Split();
            Reply(item, Busy);
            return;
        }

        if (!plan.Serves(request))
        {
            Reply(
                item,
                request.IsMulticast ? s_notForGroups
                    : place is not null && place.Serves(request, _environment) ? s_methodNotAllowed : s_notFound);
            return;
        }

        if (plan.LacksSecurity(request))
        {
            Reply(item, plan.SecurityRefusal!);
            return;
        }

        // This server requests a run for a notification itself, and its registration passed the checks.
        if ((plan.Freshness is not null || plan.Limiter is not null) && item.Observing is null && TryReject(item, route, plan))
        {
            return;
        }

        if (plan.CheckFormats(request) is { } refusal)
        {
            Reply(item, refusal);
        }
        else if (request.Payload.Length > 0 && request.Payload.Length > plan.BodyOf(request.Code).MaxSize)
        {
            Counters.Add(CoapCounter.BodiesTooLarge);
            item.Channel.NoteDrop(CoapCounter.BodiesTooLarge);
            Reply(item, CoapResults.RequestEntityTooLarge(plan.BodyOf(request.Code).MaxSize));
        }
        else if (item.Body is { IsIncomplete: true })
        {
            Reply(item, Incomplete);
        }
        else if (Served.Admit(item, Continues(item), item.IsForObservers, Busy) is { } busy)
        {
            Reply(item, busy);
        }
        else
        {
            Serve(item, route, plan, firstSegment);
        }
    }

    /// <summary>Answers a request on which the stage itself failed, so that the client does not wait forever.</summary>
    private protected override void OnFailed(CoapExchange item)
    {
        if (!item.IsReplied)
        {
            Reply(item, InternalServerError);
        }
    }

    /// <summary>
    /// Returns whether a request completes something that is running, and is not new: the last block of a body, or a run for observers.
    /// </summary>
    internal static bool Continues(CoapExchange exchange) =>
        exchange.Body is { IsIncomplete: false, Block1.Number: > 0 } || exchange.IsForObservers;

    private protected override void OnDeclined(CoapServerReply item) => ReplyPast(item, Busy);

    private protected override void OnLost(CoapServerReply item) => ReplyPast(item, InternalServerError);

    private void ReplyPast(in CoapServerReply item, CoapResult result)
    {
        (item.Result as PartialBodyResult)?.CloseUnlessStored();
        _exchangesOut?.Run(new CoapServerReply(item.Exchange, result));
    }

    private void Serve(CoapExchange exchange, Route route, EffectiveRouteSettings plan, int firstSegment)
    {
        CoapRequestContext request = exchange.Request;
        if (route.Template.HasParameters)
        {
            request.Route = route.GetValues(RouteTable.OptionsOf(request), firstSegment);
        }

        if (!request.Aborted.CanBeCanceled)
        {
            request.Aborted = Served.Aborted;
        }

        bool taken;
        try
        {
            if ((exchange.Special & RequestOptionFlags.Observe) != 0 && plan.Observing is { } observing)
            {
                exchange.Observing = plan.Register(route, observing, request, _routes.Notifier);
            }

            taken = plan.Executor.TryRun(new PendingHandlerCall(_run, exchange, route));
        }
#pragma warning disable CA1031 // a task scheduler, or what finds the limits of a resource, may throw anything
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Finish(exchange, _run.Fail(exchange, route, exception), exception);
            return;
        }

        if (!taken)
        {
            Refuse(exchange);
        }
        else if (!exchange.IsReplied && !_unanswered.TryAdd(exchange))
        {
            RefuseStopping(exchange);
            Served.SettleIfAnswered();
        }
    }

    /// <summary>The number of requests whose handler awaits, or that wait in a queue.</summary>
    internal int Unanswered => _unanswered.Count;

    /// <summary>
    /// Answers all pending requests 5.03 when the endpoint stops and its handlers were cancelled, so that no client waits forever. Later
    /// responses of their handlers are dropped.
    /// </summary>
    internal void RefuseUnanswered()
    {
        foreach (CoapExchange exchange in _unanswered.Close())
        {
            RefuseStopping(exchange);
        }
    }

    private void RefuseStopping(CoapExchange exchange)
    {
        if (!exchange.IsReplied)
        {
            Counters.Add(CoapCounter.Busy);
            Reply(exchange, Busy);
        }
    }

    /// <summary>Answers that too many requests wait for the handler.</summary>
    internal void Refuse(CoapExchange exchange)
    {
        Counters.Add(CoapCounter.RequestsNotQueued);
        Finish(exchange, Busy);
    }

    /// <summary>Returns whether a request must not reach its handler; it is then answered.</summary>
    private bool TryReject(CoapExchange exchange, Route route, EffectiveRouteSettings plan)
    {
        CoapResult? held;
        try
        {
            held = RouteAdmission.CheckAdmission(exchange, plan, _environment);
        }
#pragma warning disable CA1031 // limiters may throw anything; the peer gets 5.00
        catch (Exception exception)
#pragma warning restore CA1031
        {
            held = _run.Fail(exchange, route, exception);
        }

        if (held is null)
        {
            return false;
        }

        Reply(exchange, held);
        return true;
    }

    internal void Finish(CoapExchange exchange, CoapResult result, Exception? error = null)
    {
        Reply(exchange, result, error);
        if (exchange.IsUnanswered)
        {
            _unanswered.Remove(exchange);
        }

        Served.Exit(exchange.Channel.Shard.Index);
    }

    /// <inheritdoc/>
    public void Reply(CoapExchange exchange, CoapResult result, Exception? error = null)
    {
        if (!exchange.TryClaimReply())
        {
            Counters.Add(CoapCounter.LateResponses);
            exchange.Channel.NoteDrop(CoapCounter.LateResponses);
            (result as PartialBodyResult)?.CloseUnlessStored();
            return;
        }

        if (exchange.Request.Meter is { } meter)
        {
            _reports.End(meter, result);
        }

        Emit(new CoapServerReply(
            exchange, result.Code.IsError && _routes.DescribesErrors ? _errors.Describe(exchange, result, error) : result));
    }
}
