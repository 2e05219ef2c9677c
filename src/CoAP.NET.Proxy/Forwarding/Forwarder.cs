using CoAP.NET.Options;
using CoAP.NET.Proxy.Admission;
using CoAP.NET.Proxy.Observing;
using CoAP.NET.Proxy.Upstreams;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Proxy.Forwarding;

/// <summary>Sends a request on and makes the answer: what forward and reverse proxies have in common (RFC 7252 section 5.7.1).
/// Thread-safe.</summary>
/// <param name="options">How the proxy works.</param>
/// <param name="counts">Counts.</param>
/// <param name="observations">What clients observe.</param>
/// <param name="streamed">Answers that pass as streams.</param>
/// <param name="bodies">Requests that are under way, and bodies of them that pass as streams.</param>
/// <param name="logger">The log.</param>
internal sealed class Forwarder(
    CoapProxyOptions options, ProxyCounts counts, SharedObservations observations, StreamedAnswers streamed, PassingBodies bodies,
    ILogger logger)
{
    private readonly CoapSingleFlight<FlightKey, UpstreamAnswer> _flights = new(static answer => answer.LetGo());

    /// <summary>The requests that are under way.</summary>
    public CoapRequestShares Shares => bodies.Shares;

    /// <summary>Sends a request on.</summary>
    /// <param name="request">The request as it came.</param>
    /// <param name="target">The URI that is asked.</param>
    /// <param name="upstream">What asks it.</param>
    /// <param name="targets">Whom it may ask; null where the target comes from configuration.</param>
    /// <param name="route">The route that is observed downstream; null when nothing is observed.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answer to the client.</returns>
    public ValueTask<CoapResult> SendAsync(
        CoapRequest request,
        string target,
        CoapProxyUpstream upstream,
        CoapProxyTargets? targets,
        CoapRouteHandlerBuilder? route,
        CancellationToken cancellationToken)
    {
        if (!request.IsForObservers && IsStranger(request))
        {
            counts.Add(ProxyCount.Challenges);
            return new ValueTask<CoapResult>(CoapResults.FreshnessRequired());
        }

        CoapOptionCollection forwarded = new();
        if (!ForwardedOptions.TryCopy(request, forwarded, out int refused))
        {
            counts.Add(ProxyCount.UnsafeOptions);
            return new ValueTask<CoapResult>(CoapResults.Status(CoapCode.BadOption,
                $"This proxy does not know {ForwardedOptions.Describe(refused)}, which is unsafe to forward."));
        }

        int hops = HopCount.Next(request.Options, options);
        if (hops == 0)
        {
            counts.Add(ProxyCount.HopLimits);
            ProxyLog.HopsUsedUp(logger, request.Peer.Address.ToString(), target);
            return new ValueTask<CoapResult>(HopCount.Reached(IdentifierFor(request)));
        }

        forwarded.AddUInt(OptionNumber.HopLimit, (uint)hops);
        bool isSecured = IsSecured(target, upstream);
        bool mayBeShared = !upstream.DependsOnClient && Sharing.IsAllowed(request.Code, forwarded, isSecured);
        bool observes = route is not null && Observes(request, forwarded);
        AnswerPlace? place = streamed.PlaceFor(request, observes);
        CoapProxyRequest onward = new(request, target, forwarded, options.Timeout, targets, mayBeShared, place);
        RequestKey key = observes
            ? new RequestKey(upstream, Sharing.KeyOf(onward, withTags: false),
                isSecured || upstream.DependsOnClient ? IdentityOf(request) : null)
            : default;
        if (observes && observations.Find(key, evenIfStale: request.IsForObservers) is { } current)
        {
            CoapResult passed = Pass(current.Code, current.Payload, current.Options);
            passed.DeclinesObserver = current.DeclinesObserver;
            return new ValueTask<CoapResult>(passed);
        }

        CoapSource source = request.Peer.Source;
        if (!bodies.TryEnter(source))
        {
            counts.Add(ProxyCount.Busy);
            return new ValueTask<CoapResult>(PassingBodies.Busy);
        }

        CoapRouteHandlerBuilder? observed = observes ? route : null;
        return request.IsBodyStreamed
            ? new ValueTask<CoapResult>(PassBodyAsync(onward, source, upstream, observed, key, cancellationToken))
            : AskAsync(onward, upstream, observed, key, source, cancellationToken);
    }

    // Of its own, so that only who passes a body pays for what that needs.
    private Task<CoapResult> PassBodyAsync(
        CoapProxyRequest onward, CoapSource source, CoapProxyUpstream upstream, CoapRouteHandlerBuilder? observed, RequestKey key,
        CancellationToken cancellationToken) =>
        bodies.PassAsync(
            onward, source, upstream, (whole, token) => AskAsync(whole, upstream, observed, key, null, token).AsTask(), cancellationToken);

    // Gives back the place of a source, if there is one.
    private ValueTask<CoapResult> AskAsync(
        CoapProxyRequest onward, CoapProxyUpstream upstream, CoapRouteHandlerBuilder? observed, RequestKey key, CoapSource? place,
        CancellationToken cancellationToken) =>
        observed is null && onward.Received.Channel is not { IsReliable: true }
            ? AskOnceAsync(onward, upstream, place, cancellationToken)
            : AskWatchedAsync(onward, upstream, observed, key, place, cancellationToken);

    private async ValueTask<CoapResult> AskWatchedAsync(
        CoapProxyRequest onward,
        CoapProxyUpstream upstream,
        CoapRouteHandlerBuilder? observed,
        RequestKey key,
        CoapSource? place,
        CancellationToken cancellationToken)
    {
        CoapRequest request = onward.Received;

        // Over a connection it is known that nobody waits any more; on datagrams only the server's stop is.
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
                : ResultOf(onward, new UpstreamAnswer(known));

            // Without an observation behind it the client must not become an observer, and those who are cannot stay.
            if (result.DeclinesObserver)
            {
                result.DeclinesObserver = observed is not null && request.IsForObservers
                    ? !observations.HearsOfChanges(key)
                    : joined is not { HearsOfChanges: true };
            }

            return result;
        }
        catch (Exception exception) when (UpstreamFailures.Knows(exception) && onward.Passing?.Explains(exception) != true)
        {
            return Fail(request, onward, exception);
        }
        finally
        {
            observations.Leave(joined);
            if (place is { } source)
            {
                Shares.Exit(source);
            }
        }
    }

    // One method for all that is awaited: what each request costs. The answer of a server declines an observer, until somebody says that
    // there is an observation behind it.
    private async ValueTask<CoapResult> AskOnceAsync(
        CoapProxyRequest onward, CoapProxyUpstream upstream, CoapSource? place, CancellationToken cancellationToken)
    {
        try
        {
            UpstreamAnswer answer;
            if (IsAlone(onward, upstream))
            {
                answer = await OpenAsync(onward, upstream, cancellationToken).ConfigureAwait(false);
            }
            else if (_flights.Enter(FlightKeyOf(onward, upstream), out Task<UpstreamAnswer>? running) is var flight && running is not null)
            {
                answer = await CoapSingleFlight<FlightKey, UpstreamAnswer>.FollowAsync(flight, running, cancellationToken)
                    .ConfigureAwait(false);
                if (answer.IsStream)
                {
                    // One can read a stream, who asked for it. It is too large to be held for the others, who ask themselves.
                    answer = await OpenAsync(onward, upstream, cancellationToken).ConfigureAwait(false);
                }
                else
                {
                    counts.Add(ProxyCount.Shared);
                }
            }
            else
            {
                bool mayReuse = false;
                try
                {
                    if (onward.Place is not null && upstream.TryOpen(onward, options.StreamsAbove, flight.Abandoned) is { } opening)
                    {
                        counts.Add(ProxyCount.Forwarded);
                        if (!opening.IsCompleted)
                        {
                            flight.LeaveWith(cancellationToken);
                        }

                        answer = CoapUpstream.AnswerOf(await opening.ConfigureAwait(false), onward);
                        mayReuse = !answer.IsStream;
                    }
                    else
                    {
                        ValueTask<UpstreamAnswer> asked = OpenAsync(onward, upstream, flight.Abandoned);
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
        catch (Exception exception) when (UpstreamFailures.Knows(exception) && onward.Passing?.Explains(exception) != true)
        {
            return Fail(onward.Received, onward, exception);
        }
        finally
        {
            if (place is { } source)
            {
                Shares.Exit(source);
            }
        }
    }

    private CoapResult ResultOf(CoapProxyRequest onward, UpstreamAnswer answer)
    {
        CoapRequest request = onward.Received;
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

    // What comes over a secured transport of CoAP is of one request: the client may be a proxy that asks for several others.
    private static bool IsAlone(CoapProxyRequest onward, CoapProxyUpstream upstream) =>
        !Sharing.IsAllowed(onward.Code, onward.Options, isSecured: false) || onward.Place is { Offset: > 0 }
        || (!onward.MayBeShared && upstream is CoapUpstream or NextProxyUpstream);

    // An answer that is one client's alone is shared by the requests of that client. Tags do not count where the cache of the client names
    // what it has itself: an upstream of another protocol answers 2.03 to whoever sent them.
    private FlightKey FlightKeyOf(CoapProxyRequest onward, CoapProxyUpstream upstream)
    {
        bool withTags = !onward.MayBeShared || options.CacheBytes == 0 || upstream is not CoapUpstream;
        return new FlightKey(upstream, onward, withTags, onward.MayBeShared ? null : IdentityOf(onward.Received));
    }

    private ValueTask<UpstreamAnswer> OpenAsync(CoapProxyRequest onward, CoapProxyUpstream upstream, CancellationToken cancellationToken)
    {
        counts.Add(ProxyCount.Forwarded);
        return onward.Place is null
            ? SendWholeAsync(onward, upstream, cancellationToken)
            : upstream.OpenAsync(onward, options.StreamsAbove, cancellationToken);
    }

    private static async ValueTask<UpstreamAnswer> SendWholeAsync(
        CoapProxyRequest onward, CoapProxyUpstream upstream, CancellationToken cancellationToken) =>
        new(await upstream.SendAsync(onward, cancellationToken).ConfigureAwait(false));

    // A run for observers asks for what a registration of before asked for.
    private static bool Observes(CoapRequest request, CoapOptionCollection forwarded) =>
        request.Code.IsSafe
        && (request.IsForObservers || request.Options.Observe == Observe.RegisterValue)
        && (Sharing.IsAllowed(request.Code, forwarded, isSecured: false) || forwarded.Contains(OptionNumber.Oscore));

    private static object IdentityOf(CoapRequest request) => request.Peer.Identity ?? request.Peer.Address;

    private static bool IsSecured(string target, CoapProxyUpstream upstream) =>
        CoapProxy.SchemeOf(target) is { Length: > 0 } scheme && upstream.IsSecure(scheme);

    private CoapResult Fail(CoapRequest request, CoapProxyRequest onward, Exception exception)
    {
        CoapResult result = UpstreamFailures.Answer(exception);
        if (exception is CoapTargetDeniedException)
        {
            ProxyLog.TargetDenied(logger, request.Peer.Address.ToString(), onward.Target);
            counts.Add(ProxyCount.TargetsDenied);
            return result;
        }

        ProxyLog.Failed(logger, exception, onward.Target);
        counts.Add(result.Code == CoapCode.GatewayTimeout ? ProxyCount.Timeouts : ProxyCount.Failures);
        return result;
    }

    private CoapResult PassHopLimit(CoapRequest request, CoapProxyRequest onward, UpstreamAnswer answer)
    {
        counts.Add(ProxyCount.HopLimits);
        answer.LetGo();
        string identifier = IdentifierFor(request);
        CoapResult passed = HopCount.Passed(answer.Payload, identifier, out bool isLoop);
        if (isLoop)
        {
            ProxyLog.Loop(logger, onward.Target, identifier);
        }

        return passed;
    }

    private CoapResult Pass(CoapProxyRequest onward, UpstreamAnswer answer)
    {
        CoapResult head = Pass(answer.Code, answer.Payload, answer.Options);
        if (!answer.IsStream || answer.Take() is not { } body)
        {
            return head;
        }

        if (onward.Targets is null && options.RewritesLinks && head.Options.ContentFormat == CoapContentFormat.LinkFormat)
        {
            _ = body.DisposeAsync().AsTask();
            return LinkRewriting.Refused();
        }

        if (head.Code == CoapCode.Content)
        {
            return streamed.Of(head, body, onward.Place!.Value, answer.Options.Size2);
        }

        // It is refused, or has a code that no answer of this size has.
        _ = body.DisposeAsync().AsTask();
        return head.Code.IsError ? head : CoapResults.Status(CoapCode.BadGateway, "The answer of the server cannot be processed.");
    }

    private CoapResult Pass(CoapCode code, ReadOnlyMemory<byte> payload, CoapOptionCollection given)
    {
        CoapResult result = new(code, payload);
        if (!ForwardedOptions.TryCopy(given, result.Options, out int refused))
        {
            counts.Add(ProxyCount.Failures);
            return CoapResults.Status(
                CoapCode.BadGateway,
                $"The answer has {ForwardedOptions.Describe(refused)}, which is unsafe to forward and which this proxy does not know.");
        }

        return result;
    }

    // Whoever shakes hands has shown that he receives at his address, and nobody forges an address of this machine.
    private bool IsStranger(CoapRequest request) =>
        options.RequireVerified
        && request.Channel is { IsReliable: false, IsVerified: false } channel
        && !IsLoopback(channel.Remote);

    private static bool IsLoopback(CoapAddress address) =>
        address.IsIPv4 ? (byte)(address.Low >> 24) == 127 : address is { High: 0, Low: 1 };

    private string IdentifierFor(CoapRequest request) =>
        options.Identifier ?? (options.Names.Count > 0 ? options.Names[0] : request.Peer.LocalAddress.ToString());
}
