using CoAP.NET.Blockwise;
using CoAP.NET.Exchanges;
using CoAP.NET.Observing;
using CoAP.NET.Options;
using CoAP.NET.Pipeline;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Resources;

/// <summary>
/// The Resource stage: finds the route of a request, runs its handler and offers the answer. A handler that completes at once is answered before
/// the offer returns, on the same thread; one that awaits is answered from the thread that completes it. Every request gets exactly one answer.
/// </summary>
public sealed partial class ResourceInbound : InlineBlock<CoapExchange, CoapReply>
{
    // One object each for all requests: results are not changed once they are on their way.
    private static readonly CoapResult s_proxyingNotSupported = new(CoapCode.ProxyingNotSupported);
    private static readonly CoapResult s_notImplemented = new(CoapCode.NotImplemented);
    private static readonly CoapResult s_notFound = new(CoapCode.NotFound);
    private static readonly CoapResult s_methodNotAllowed = new(CoapCode.MethodNotAllowed);
    private static readonly CoapResult s_notAcceptable = new(CoapCode.NotAcceptable);
    private static readonly CoapResult s_unsupportedContentFormat = new(CoapCode.UnsupportedContentFormat);
    private static readonly CoapResult s_fetchWithoutFormat = CoapResults.BadRequest("FETCH needs a Content-Format (RFC 8132 section 2.3.1).");
    private static readonly CoapResult s_internalServerError = new(CoapCode.InternalServerError);
    private static readonly CoapResult s_incomplete = new(CoapCode.RequestEntityIncomplete);
    private static readonly CoapResult s_notForGroups = new(CoapCode.NotFound) { AnswersGroup = false };

    private readonly CoapEnvironment _environment;
    private readonly RouteTable _routes;
    private readonly CoapResult _busy;
    private readonly LaterBlocks _laterBlocks;
    private readonly UnansweredRequests _unanswered;

    // For an answer that takes the place of one that a block of a user declined or lost: past that block.
    private readonly ExchangesOutbound? _exchangesOut;

    internal ResourceInbound(CoapEnvironment environment, RouteTable routes, ServedRequests served, ExchangesOutbound? exchangesOut = null)
        : base(environment.Counters, environment.Logger)
    {
        _environment = environment;
        _routes = routes;
        _busy = new CoapResult(CoapCode.ServiceUnavailable) { IsRefusal = true }.WithMaxAge(TimeSpan.FromSeconds(environment.Limits.BusyMaxAge));
        _hasScopes = environment.Logger is not NullLogger;
        Served = served;
        Admission = new ServedAdmission(environment, served, _busy);
        _unanswered = new UnansweredRequests(environment, served);
        _exchangesOut = exchangesOut;
        _laterBlocks = new LaterBlocks(this);
    }

    internal ServedRequests Served { get; }

    internal ServedAdmission Admission { get; }

    internal CoapEnvironment Environment => _environment;

    private protected override void Process(CoapExchange item)
    {
        if (item.Body is { Later: { } later } && _laterBlocks.TryServe(item, later))
        {
            return;
        }

        CoapRequest request = item.Request;
        ServerWatch? watch = _environment.Telemetry.IsServing ? Watch(item) : null;
        CoapOptionCollection options = RouteTable.OptionsOf(request);
        if (AsksForProxy(options))
        {
            Reply(item, s_proxyingNotSupported);
        }
        else if (_routes.Find(options, out int firstSegment) is not { } place)
        {
            // A mere client says so on a connection, where both ends may ask (RFC 8323 section 3.3). A method that nobody knows is refused whatever the path (RFC 7252 section 5.8).
            Reply(item, item.Channel.IsReliable && _routes.IsEmpty ? s_notImplemented : request.Method > CoapMethod.IPatch ? s_methodNotAllowed : s_notFound);
        }
        else if (place[request.Code] is not { } route)
        {
            Reply(item, IsThere(place, request) ? s_methodNotAllowed : s_notFound);
        }
        else
        {
            if (request.Code == CoapCode.Get || request.Code == CoapCode.Delete)
            {
                // No payload is defined for them, so what came is ignored (RFC 7252 section 5.5).
                request.Message.Payload = default;
            }

            watch?.Route = route;
            RoutePlan plan = route.GetPlan(_environment);
            if (request.IsMulticast && !plan.AllowsMulticast)
            {
                Reply(item, s_notForGroups);
                return;
            }

            if (!plan.Serves(request))
            {
                Reply(item, request.IsMulticast ? s_notForGroups : IsThere(place, request) ? s_methodNotAllowed : s_notFound);
                return;
            }

            if (LacksSecurity(request, plan))
            {
                Reply(item, plan.SecurityRefusal!);
                return;
            }

            // A run for a notification is asked for by this server, and its registration passed.
            if ((plan.Freshness is not null || plan.Limiter is not null) && item.Observing is null && IsHeldBack(item, route, plan))
            {
                return;
            }

            if (CheckFormats(request, plan) is { } refusal)
            {
                Reply(item, refusal);
            }
            else if (request.Payload.Length > plan.Body.MaxSize)
            {
                Counters.Add(CoapCounter.BodiesTooLarge);
                item.Channel.NoteDrop(CoapCounter.BodiesTooLarge);
                Reply(item, CoapResults.RequestEntityTooLarge(plan.Body.MaxSize));
            }
            else if (item.Body is { IsIncomplete: true })
            {
                Reply(item, s_incomplete);
            }
            else if (Admission.Enter(item, Continues(item), item.IsForObservers) is { } busy)
            {
                Reply(item, busy);
            }
            else
            {
                Serve(item, route, plan, firstSegment);
            }
        }
    }

    /// <summary>What is left of a request after the stage itself failed on it: an answer, so that nobody waits in vain.</summary>
    private protected override void OnFailed(CoapExchange item)
    {
        if (!item.IsReplied)
        {
            Reply(item, s_internalServerError);
        }
    }

    /// <summary>Whether a request is no new one but the end of something that is under way: the last block of a body of several, or a run for observers.</summary>
    internal static bool Continues(CoapExchange exchange) => exchange.Body is { IsIncomplete: false, Block1.Number: > 0 } || exchange.IsForObservers;

    private protected override void OnDeclined(CoapReply item) => ReplyPast(item, _busy);

    private protected override void OnLost(CoapReply item) => ReplyPast(item, s_internalServerError);

    private void ReplyPast(in CoapReply item, CoapResult result)
    {
        BodyPart.CloseUnlessKept(item.Result);
        _exchangesOut?.Run(new CoapReply(item.Exchange, result));
    }

    // A server that is no proxy says so, whatever the Uri options say: Proxy-Uri takes precedence over them (RFC 7252 sections 5.7.2 and 5.10.2).
    internal static bool AsksForProxy(CoapOptionCollection options)
    {
        for (int i = options.Count - 1; i >= 0 && options.NumberAt(i) is int number and >= OptionNumber.ProxyUri; i--)
        {
            if (number is OptionNumber.ProxyUri or OptionNumber.ProxyScheme)
            {
                return true;
            }
        }

        return false;
    }

    internal static bool LacksSecurity(CoapRequest request, RoutePlan plan) => plan.NeedsSecurity && request.Channel is { Transport.IsSecure: false };

    internal static CoapResult? CheckFormats(CoapRequest request, RoutePlan plan)
    {
        if (request.Code == CoapCode.Fetch && !RouteTable.OptionsOf(request).Contains(OptionNumber.ContentFormat))
        {
            return s_fetchWithoutFormat;
        }

        // A payload without a declared format is of an unknown one (RFC 7252 section 5.5.1).
        if (plan.Consumes is { } consumes && !request.Payload.IsEmpty && (request.ContentFormat is not { } format || !consumes.Contains(format)))
        {
            return s_unsupportedContentFormat;
        }

        return !plan.IgnoresAccept && plan.Produces is { } produces && request.SelectFormat(produces) is null ? s_notAcceptable : null;
    }

    private void Serve(CoapExchange exchange, Route route, RoutePlan plan, int firstSegment)
    {
        CoapRequest request = exchange.Request;
        if (route.Template.HasParameters)
        {
            request.Route = route.GetValues(RouteTable.OptionsOf(request), firstSegment);
        }

        if (!request.Aborted.CanBeCanceled)
        {
            request.Aborted = Served.Aborted;
        }

        if ((exchange.Special & SpecialOptions.Observe) != 0 && plan.Observing is { } observing)
        {
            exchange.Observing = new Registration(route.Observed, RouteTable.PathOf(RouteTable.OptionsOf(request)), observing, route.Observed.Changes);
        }

        bool taken;
        try
        {
            taken = plan.Executor.TryRun(new RouteCall(this, exchange, route));
        }
#pragma warning disable CA1031 // a task scheduler of a user may throw anything
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Finish(exchange, Fail(exchange, route, exception), exception);
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

    /// <summary>How many requests have a handler that awaits, or wait for their turn.</summary>
    internal int Unanswered => _unanswered.Count;

    /// <summary>The endpoint stops and its handlers were cancelled: requests that have no answer yet get 5.03, so that no client waits in vain. Later answers of their handlers are dropped.</summary>
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
            Reply(exchange, _busy);
        }
    }

    /// <summary>Answers that there is no room for a request now.</summary>
    internal void Refuse(CoapExchange exchange)
    {
        Counters.Add(CoapCounter.Busy);
        Finish(exchange, _busy);
    }
}
