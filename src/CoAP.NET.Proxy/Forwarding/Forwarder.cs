using CoAP.NET.Diagnostics;
using CoAP.NET.Guarding;
using CoAP.NET.Proxy.Admission;
using CoAP.NET.Proxy.Observing;
using CoAP.NET.Proxy.Upstreams;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Proxy.Forwarding;

/// <summary>
/// Forwards a request and makes the response: the common part of forward and reverse proxies (RFC 7252 section 5.7.1). Thread-safe.
/// </summary>
/// <param name="options">The options of the proxy.</param>
/// <param name="counts">The counters.</param>
/// <param name="observations">The observations of clients.</param>
/// <param name="streamed">Responses that pass as streams.</param>
/// <param name="admission">The places of pending requests.</param>
/// <param name="bodies">Forwards bodies that arrive in blocks.</param>
/// <param name="logger">The log.</param>
internal sealed class Forwarder(
    CoapProxyOptions options, EventCounter<ProxyCounterKind> counts, SharedObservations observations, StreamedResponses streamed,
    PendingRequestAdmission admission, RequestBodyForwarder bodies, ILogger logger)
{
    private readonly CoapSingleFlight<SharedRequestKey, UpstreamResponse> _flights = new(static answer => answer.Release());

    public SourceQuota Quota => admission.Quota;

    /// <summary>Forwards a request.</summary>
    /// <param name="request">The received request.</param>
    /// <param name="target">The target URI.</param>
    /// <param name="upstream">The upstream that sends it.</param>
    /// <param name="targets">The allowed targets; null if the target comes from configuration.</param>
    /// <param name="route">The route that clients observe; null without observations.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The response for the client.</returns>
    public ValueTask<CoapResult> SendAsync(
        CoapRequestContext request,
        string target,
        UpstreamClient upstream,
        CoapProxyTargets? targets,
        CoapRouteHandlerBuilder? route,
        CancellationToken cancellationToken)
    {
        if (!request.IsForObservers && IsStranger(request))
        {
            counts.Add(ProxyCounterKind.Challenges);
            return new ValueTask<CoapResult>(CoapResults.FreshnessRequired());
        }

        CoapOptionCollection forwarded = new(request.Options.Registry);
        if (!ForwardedOptions.TryCopy(request, forwarded, out int refused))
        {
            counts.Add(ProxyCounterKind.UnsafeOptions);
            return new ValueTask<CoapResult>(CoapResults.Status(CoapCode.BadOption,
                $"This proxy must not forward {ForwardedOptions.Describe(request.Options.Registry, refused)}."));
        }

        int hops = HopCount.Next(request.Options, options);
        if (hops == 0)
        {
            counts.Add(ProxyCounterKind.HopLimits);
            ProxyLog.HopsUsedUp(logger, request.Peer.Address.ToString(), target);
            return new ValueTask<CoapResult>(HopCount.Reached(IdentifierFor(request)));
        }

        forwarded.AddUInt(OptionNumber.HopLimit, (uint)hops);
        bool isSecured = IsSecured(target, upstream);
        bool mayBeShared = !upstream.DependsOnClient && RequestSharing.IsAllowed(request.Code, forwarded, isSecured);
        bool observes = route is not null && Observes(request, forwarded);
        ResponseBodyOffset? place = streamed.StartFor(request, observes);
        CoapQuotaSource source = request.Peer.Source;
        CoapForwardedRequest onward = new(request, source, target, forwarded, options.Timeout, targets, mayBeShared, place);
        RequestKey key = observes
            ? new RequestKey(upstream, RequestSharing.KeyOf(onward, withTags: false), ClientOf(onward))
            : default;
        if (observes && observations.Find(key, evenIfStale: request.IsForObservers) is { } current)
        {
            CoapResult passed = Pass(current.Code, current.Payload, current.Options);
            passed.DeclinesObserver = current.DeclinesObserver;
            return new ValueTask<CoapResult>(passed);
        }

        if (!admission.TryEnter(source))
        {
            counts.Add(ProxyCounterKind.Busy);
            return new ValueTask<CoapResult>(PendingRequestAdmission.Busy);
        }

        CoapRouteHandlerBuilder? observed = observes ? route : null;
        return request.IsBodyStreamed
            ? new ValueTask<CoapResult>(PassBodyAsync(onward, source, upstream, observed, key, cancellationToken))
            : AskAsync(onward, upstream, observed, key, source, cancellationToken);
    }

    // A method of its own, so that only requests that pass a body pay for its state machine.
    private Task<CoapResult> PassBodyAsync(
        CoapForwardedRequest onward, CoapQuotaSource source, UpstreamClient upstream, CoapRouteHandlerBuilder? observed, RequestKey key,
        CancellationToken cancellationToken) =>
        bodies.PassAsync(
            onward, source, upstream, (whole, token) => AskAsync(whole, upstream, observed, key, null, token).AsTask(), cancellationToken);

    // Returns the place of a source, if there is one.
    private ValueTask<CoapResult> AskAsync(
        CoapForwardedRequest onward, UpstreamClient upstream, CoapRouteHandlerBuilder? observed, RequestKey key, CoapQuotaSource? place,
        CancellationToken cancellationToken) =>
        observed is null && onward.Received.Channel is not { IsReliable: true }
            ? AskOnceAsync(onward, upstream, place, cancellationToken)
            : AskWatchedAsync(onward, upstream, observed, key, place, cancellationToken);

    private async ValueTask<CoapResult> AskWatchedAsync(
        CoapForwardedRequest onward,
        UpstreamClient upstream,
        CoapRouteHandlerBuilder? observed,
        RequestKey key,
        CoapQuotaSource? place,
        CancellationToken cancellationToken)
    {
        CoapRequestContext request = onward.Received;

        // A connection reports that the client has gone; on datagrams only the stop of the server is known.
        using CancellationTokenSource? gone = request.Channel is { IsReliable: true }
            ? CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, request.Peer.Disconnected)
            : null;
        SharedObservation? joined = null;
        try
        {
            CancellationToken token = gone?.Token ?? cancellationToken;
            CoapResult? known = null;
            if (observed is not null && !request.IsForObservers)
            {
                (known, joined) = await observations.JoinAsync(key, observed, onward, token).ConfigureAwait(false);
            }

            CoapResult result = known is null
                ? await AskOnceAsync(onward, upstream, null, token).ConfigureAwait(false)
                : ResultOf(onward, new UpstreamResponse(known));

            // Without an observation behind it the client must not become an observer, and existing observers cannot stay.
            if (result.DeclinesObserver)
            {
                result.DeclinesObserver = observed is not null && request.IsForObservers
                    ? !observations.HearsOfChanges(key)
                    : joined is not { HearsOfChanges: true };
            }

            return result;
        }
        catch (Exception exception) when (CoapErrorResponse.Covers(exception) && onward.Passing?.Explains(exception) != true)
        {
            return Fail(request, onward, exception);
        }
        finally
        {
            observations.Leave(joined);
            if (place is { } source)
            {
                Quota.Exit(source);
            }
        }
    }

    // All awaits are in one method because each state machine adds to the cost of a request. The response of a server declines an observer
    // until an observation backs it.
    private async ValueTask<CoapResult> AskOnceAsync(
        CoapForwardedRequest onward, UpstreamClient upstream, CoapQuotaSource? place, CancellationToken cancellationToken)
    {
        try
        {
            UpstreamResponse answer;
            if (IsAlone(onward, upstream))
            {
                answer = await OpenAsync(onward, upstream, cancellationToken).ConfigureAwait(false);
            }
            else if (_flights.Enter(SharedRequestKeyOf(onward, upstream), out Task<UpstreamResponse>? running) is var flight
                && running is not null)
            {
                answer = await CoapSingleFlight<SharedRequestKey, UpstreamResponse>.FollowAsync(flight, running, cancellationToken)
                    .ConfigureAwait(false);
                if (answer.IsStream)
                {
                    // Only the caller that made the request can read its stream. The stream is too large to buffer for the others, which
                    // send requests of their own.
                    answer = await OpenAsync(onward, upstream, cancellationToken).ConfigureAwait(false);
                }
                else
                {
                    counts.Add(ProxyCounterKind.Shared);
                }
            }
            else
            {
                bool mayReuse = false;
                try
                {
                    if (onward.Start is not null && upstream.TryOpen(onward, options.Limits.StreamsAbove, flight.Abandoned) is { } opening)
                    {
                        counts.Add(ProxyCounterKind.Forwarded);
                        if (!opening.IsCompleted)
                        {
                            flight.LeaveWith(cancellationToken);
                        }

                        answer = CoapUpstreamClient.AnswerOf(await opening.ConfigureAwait(false), onward);
                        mayReuse = !answer.IsStream;
                    }
                    else
                    {
                        ValueTask<UpstreamResponse> asked = OpenAsync(onward, upstream, flight.Abandoned);
                        if (!asked.IsCompleted)
                        {
                            flight.LeaveWith(cancellationToken);
                        }

                        answer = await asked.ConfigureAwait(false);
                    }
                }
                catch (Exception exception)
                {
                    _flights.Fail(flight, exception);
                    cancellationToken.ThrowIfCancellationRequested();
                    throw;
                }

                _flights.End(flight, answer, mayReuse, cancellationToken);
            }

            return ResultOf(onward, answer);
        }
        catch (Exception exception) when (CoapErrorResponse.Covers(exception) && onward.Passing?.Explains(exception) != true)
        {
            return Fail(onward.Received, onward, exception);
        }
        finally
        {
            if (place is { } source)
            {
                Quota.Exit(source);
            }
        }
    }

    private CoapResult ResultOf(CoapForwardedRequest onward, UpstreamResponse answer)
    {
        CoapRequestContext request = onward.Received;
        CoapResult result = answer.Code == CoapCode.HopLimitReached
            ? PassHopLimit(request, onward, answer)
            : Pass(onward, answer);
        result.DeclinesObserver = true;
        if (logger.IsEnabled(LogLevel.Debug))
        {
            ProxyLog.Answered(logger, request.Peer.Address.ToString(), request.Code, onward.Target, result.Code);
        }

        return result;
    }

    // A request over a secured transport of CoAP is not shared: the client may be a proxy that sends for several others.
    private static bool IsAlone(CoapForwardedRequest onward, UpstreamClient upstream) =>
        !RequestSharing.IsAllowed(onward.Code, onward.Options, isSecured: false) || onward.Start is { Offset: > 0 }
        || (!onward.MayBeShared && upstream is CoapUpstreamClient or NextProxyClient);

    // The client whose response must go to no other; null if the response is the same for all. A channel, because the functions of an
    // upstream may use what an application attached to a connection.
    private static CoapChannel? ClientOf(CoapForwardedRequest onward) => onward.MayBeShared ? null : onward.Received.Channel;

    // A response for one client is shared by the requests of that client. Entity-tags do not count if the cache of the client adds its own;
    // an upstream of another protocol answers 2.03 to the request that sent them.
    private SharedRequestKey SharedRequestKeyOf(CoapForwardedRequest onward, UpstreamClient upstream)
    {
        bool withTags = !onward.MayBeShared || options.Limits.CacheBytes == 0 || upstream is not CoapUpstreamClient;
        return new SharedRequestKey(upstream, onward, withTags, ClientOf(onward));
    }

    private ValueTask<UpstreamResponse> OpenAsync(CoapForwardedRequest onward, UpstreamClient upstream, CancellationToken cancellationToken)
    {
        counts.Add(ProxyCounterKind.Forwarded);
        return onward.Start is null
            ? SendWholeAsync(onward, upstream, cancellationToken)
            : upstream.OpenAsync(onward, options.Limits.StreamsAbove, cancellationToken);
    }

    private static async ValueTask<UpstreamResponse> SendWholeAsync(
        CoapForwardedRequest onward, UpstreamClient upstream, CancellationToken cancellationToken) =>
        new(await upstream.SendAsync(onward, cancellationToken).ConfigureAwait(false));

    // A run for observers repeats the request of an earlier registration.
    private static bool Observes(CoapRequestContext request, CoapOptionCollection forwarded) =>
        request.Code.IsSafe
        && (request.IsForObservers || request.Options.Observe == ObserveOption.RegisterValue)
        && (RequestSharing.IsAllowed(request.Code, forwarded, isSecured: false) || forwarded.Contains(OptionNumber.Oscore));

    private static bool IsSecured(string target, UpstreamClient upstream) =>
        CoapProxy.SchemeOf(target) is { Length: > 0 } scheme && upstream.IsSecure(scheme);

    private CoapResult Fail(CoapRequestContext request, CoapForwardedRequest onward, Exception exception)
    {
        CoapResult result = CoapErrorResponse.Of(exception);
        if (exception is CoapTargetDeniedException)
        {
            ProxyLog.TargetDenied(logger, request.Peer.Address.ToString(), onward.Target);
            counts.Add(ProxyCounterKind.TargetsDenied);
            return result;
        }

        ProxyLog.Failed(logger, exception, onward.Target);
        counts.Add(result.Code == CoapCode.GatewayTimeout ? ProxyCounterKind.Timeouts : ProxyCounterKind.Failures);
        return result;
    }

    private CoapResult PassHopLimit(CoapRequestContext request, CoapForwardedRequest onward, UpstreamResponse answer)
    {
        counts.Add(ProxyCounterKind.HopLimits);
        answer.Release();
        string identifier = IdentifierFor(request);
        CoapResult passed = HopCount.Passed(answer.Payload, identifier, out bool isLoop);
        if (isLoop)
        {
            ProxyLog.Loop(logger, onward.Target, identifier);
        }

        return passed;
    }

    private CoapResult Pass(CoapForwardedRequest onward, UpstreamResponse answer)
    {
        CoapResult head = Pass(answer.Code, answer.Payload, answer.Options);
        if (!answer.IsStream || answer.Take() is not { } body)
        {
            return head;
        }

        if (onward.Targets is null && options.RewritesLinks && head.Options.ContentFormat == CoapContentFormat.LinkFormat)
        {
            _ = body.DisposeAsync().AsTask();
            return LinkRewriter.Refused();
        }

        if (head.Code == CoapCode.Content)
        {
            return streamed.Of(head, body, onward.Start!.Value, answer.Options.Size2);
        }

        // The proxy refuses the response, or its code allows no body of this size.
        _ = body.DisposeAsync().AsTask();
        return head.Code.IsError ? head : CoapResults.Status(CoapCode.BadGateway, "The proxy cannot process the response of the server.");
    }

    private CoapResult Pass(CoapCode code, ReadOnlyMemory<byte> payload, CoapOptionCollection given)
    {
        CoapResult result = new(code, payload);
        if (!ForwardedOptions.TryCopy(given, result.OwnOptions, out int refused))
        {
            counts.Add(ProxyCounterKind.Failures);
            return CoapResults.Status(
                CoapCode.BadGateway,
                $"This proxy must not forward the response with {ForwardedOptions.Describe(given.Registry, refused)}.");
        }

        return result;
    }

    // A handshake proves that the client receives at its address, and addresses of this machine cannot be forged.
    private bool IsStranger(CoapRequestContext request) =>
        options.RequireVerified
        && request.Channel is { IsReliable: false, IsVerified: false } channel
        && !IsLoopback(channel.Remote);

    private static bool IsLoopback(CoapAddress address) =>
        address.IsIPv4 ? (byte)(address.Low >> 24) == 127 : address is { High: 0, Low: 1 };

    private string IdentifierFor(CoapRequestContext request) =>
        options.Identifier ?? (options.Names.Count > 0 ? options.Names[0] : request.Peer.LocalAddress.ToString());
}
