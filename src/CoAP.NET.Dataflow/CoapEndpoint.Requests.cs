using System.Net;
using CoAP.NET.Channels;
using CoAP.NET.Connecting;
using CoAP.NET.Options;
using CoAP.NET.Pipeline;
using CoAP.NET.Requests;
using CoAP.NET.Transports;

namespace CoAP.NET;

// Requests that this endpoint sends.
public sealed partial class CoapEndpoint
{
    /// <summary>Sends a request to the host of its URI and waits for the response. When a host name has several addresses the next one is tried where nobody listens at the one before.</summary>
    /// <param name="request">The request, with a URI.</param>
    /// <param name="cancellationToken">Stops waiting; no further copies are sent.</param>
    /// <returns>The response, an error response too.</returns>
    /// <exception cref="ArgumentException">The request has no URI, or one that is no CoAP URI, or its code is not that of a request.</exception>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default)
    {
        try
        {
            return TrySendAtOnce(request, cancellationToken) ?? FindAndSendAsync(request, cancellationToken);
        }
#pragma warning disable CA1031 // whatever is wrong is for who awaits the response
        catch (Exception exception)
#pragma warning restore CA1031
        {
            return Task.FromException<CoapResponse>(exception);
        }
    }

    /// <summary>Sends a request for which nothing has to be waited for first: its URI names an address, and the transport is there. Null: there is something.</summary>
    private Task<CoapResponse>? TrySendAtOnce(CoapRequest request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        CheckCode(request);
        CoapUri uri = TargetOf(request);
        if (uri.Literal is not { } remote || remote.IsMulticast || StartedFor(uri.Scheme) is not { } transport || transport is CoapConnectionTransport)
        {
            return null;
        }

        if (request.LocalAddress is { } local)
        {
            Reachable(uri.Addresses!, local, uri);
        }

        CoapMessage message = request.Message.HasOptions ? Copy(request) : Share(request, uri);
        if (request.Message.HasOptions)
        {
            AddTarget(message, uri, remote);
        }

        return SendAsync(request, message, ChannelTo(transport, remote, request.LocalAddress), uri, _environment.Now, null, cancellationToken);
    }

    private CoapUri TargetOf(CoapRequest request) =>
        _targets.Find(request.UriText ?? throw new ArgumentException("The request has no URI. Make it with one, or send it to a CoapPeer.", nameof(request)), ParseTarget);

    private async Task<CoapResponse> FindAndSendAsync(CoapRequest request, CancellationToken cancellationToken)
    {
        CoapUri uri = TargetOf(request);
        long started = _environment.Now;
        CoapTransport transport = await TransportForAsync(uri.Scheme, cancellationToken).ConfigureAwait(false);
        IPAddress[] found = await _hosts.FindInTimeAsync(
            uri, request.Code, new RequestTime(request.Timeout), started, cancellationToken).ConfigureAwait(false);
        IPAddress[] addresses = Reachable(found, request.LocalAddress, uri);
        if (transport is CoapConnectionTransport stream)
        {
            // Whoever opens the connection tries all addresses.
            ConnectionRoute route = RouteTo(stream, uri, addresses, request.LocalAddress);
            CoapMessage plain = Copy(request);
            AddTarget(plain, uri, route.Addresses[0]);
            return await SendAsync(request, plain, ChannelOf(route), uri, started, route, cancellationToken).ConfigureAwait(false);
        }

        for (int i = 0; ; i++)
        {
            CoapAddress remote = AddressOf(uri, addresses[i]);
            CoapMessage message = Copy(request);
            AddTarget(message, uri, remote);
            try
            {
                // One time limit for all addresses.
                return await SendAsync(request, message, ChannelTo(transport, remote, request.LocalAddress), uri, started, null, cancellationToken).ConfigureAwait(false);
            }
            catch (CoapException exception) when (i + 1 < addresses.Length && exception is (CoapUnreachableException { HasBegun: false } or CoapSendException))
            {
                // Nobody listens there, or nothing can be sent there, so nothing happened: the next address of the name may be the right one.
            }
        }
    }

    /// <summary>
    /// Asks a peer whether it is there, by an Empty Confirmable message that it answers with a Reset (RFC 7252 section 4.3). Ends at the latest when the copies
    /// of the message do, 93 s after it was sent by default. On a connection, which is opened if need be, it is a Ping that is answered by a Pong within <see cref="CoapStreamOptions.PongTimeout"/>
    /// (RFC 8323 section 5.4).
    /// </summary>
    /// <param name="uri">Scheme, host and port; a path is ignored.</param>
    /// <param name="cancellationToken">Stops waiting; no further copies are sent.</param>
    /// <returns>The time from the call to the answer: the round-trip time, with retransmissions and with waiting for earlier requests to the peer (NSTART), if there were any.</returns>
    /// <exception cref="ArgumentException">The URI is no CoAP URI.</exception>
    /// <exception cref="CoapTimeoutException">The peer did not answer.</exception>
    /// <exception cref="CoapUnreachableException">Nobody listens there.</exception>
    /// <exception cref="CoapException">The ping could not be sent, or the endpoint was stopped.</exception>
    public Task<TimeSpan> PingAsync(string uri, CancellationToken cancellationToken = default) =>
        PingAsync(uri, default(RequestTime), cancellationToken);

    /// <summary>
    /// Asks a peer whether it is there, for some time at most: that of finding its host name and of connecting included. On a connection
    /// the time is instead of <see cref="CoapStreamOptions.PongTimeout"/>; see <see cref="PingAsync(string, CancellationToken)"/>.
    /// </summary>
    /// <param name="uri">Scheme, host and port; a path is ignored.</param>
    /// <param name="timeout">How long all of it may take; <see cref="Timeout.InfiniteTimeSpan"/> for no limit but that of
    /// retransmission.</param>
    /// <param name="cancellationToken">Stops waiting; no further copies are sent.</param>
    /// <returns>The time from the call to the answer.</returns>
    /// <exception cref="ArgumentException">The URI is no CoAP URI.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is not above zero and not infinite.</exception>
    /// <exception cref="CoapTimeoutException">The peer did not answer in time; <see cref="CoapTimeoutException.Awaited"/> says what was
    /// missing.</exception>
    /// <exception cref="CoapUnreachableException">Nobody listens there.</exception>
    /// <exception cref="CoapException">The ping could not be sent, or the endpoint was stopped.</exception>
    public Task<TimeSpan> PingAsync(string uri, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        try
        {
            return PingAsync(uri, RequestTime.Of(timeout), cancellationToken);
        }
        catch (ArgumentException exception)
        {
            return Task.FromException<TimeSpan>(exception);
        }
    }

    internal async Task<TimeSpan> PingAsync(string uri, RequestTime time, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(uri);
        CoapUri target = ParseTarget(uri);
        long started = _environment.Now;
        CoapTransport transport = await TransportForAsync(target.Scheme, cancellationToken).ConfigureAwait(false);
        IPAddress[] addresses = await _hosts.FindInTimeAsync(target, CoapCode.Empty, time, started, cancellationToken).ConfigureAwait(false);
        if (transport is CoapConnectionTransport stream)
        {
            return await PingAsync(RouteTo(stream, target, addresses), time, started, cancellationToken).ConfigureAwait(false);
        }

        for (int i = 0; ; i++)
        {
            try
            {
                // One time limit for all addresses.
                CoapChannel channel = ChannelTo(transport, AddressOf(target, addresses[i]));
                return await _sender.PingAsync(channel, time.Since(started, _environment.Now), passesQueue: false, cancellationToken)
                    .ConfigureAwait(false);
            }
            catch (CoapException exception) when (i + 1 < addresses.Length && exception is (CoapUnreachableException or CoapSendException))
            {
                // See SendAsync.
            }
        }
    }

    internal Task<TimeSpan> PingAsync(CoapChannel channel, RequestTime time, CancellationToken cancellationToken) =>
        channel.IsConnection
            ? PingAsync(ConnectionPool.RouteTo(channel), time, _environment.Now, cancellationToken)
            : _sender.PingAsync(channel, time, passesQueue: false, cancellationToken);

    internal Task<CoapResponse> SendAsync(CoapChannel channel, CoapRequest request, CancellationToken cancellationToken)
    {
        CheckCode(request);
        CoapMessage message = Compose(channel, request, out CoapUri? target);
        return SendAsync(request, message, channel, target, _environment.Now, channel.IsConnection ? ConnectionPool.RouteTo(channel) : null, cancellationToken);
    }

    private static CoapMessage Compose(CoapChannel channel, CoapRequest request, out CoapUri? target)
    {
        CoapMessage message = Copy(request);
        target = null;
        if (request.UriText is { } text)
        {
            if (text.StartsWith('/'))
            {
                // A path alone names neither host nor port, so neither is sent.
                target = ParseTarget($"coap://[::1]{text}");
                AddTarget(message, target, CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.IPv6Loopback, target.Port)));
            }
            else
            {
                target = ParseTarget(text);
                AddTarget(message, target, channel.Remote);
            }
        }

        return message;
    }

    private Task<CoapResponse> SendAsync(
        CoapRequest request, CoapMessage message, CoapChannel channel, CoapUri? target, long started, ConnectionRoute? route, CancellationToken cancellationToken) =>
        request.CacheMode == CoapCacheMode.OnlyIfCached && _cacheStep is null
            ? Task.FromException<CoapResponse>(new CoapCacheMissException())
            : _environment.Telemetry.IsRequesting
                ? WatchAsync(request, message, channel, target, started, route, cancellationToken)
                : _chain.SendAsync(
                    new OutgoingRequest
                    {
                        Request = request, Message = message, Channel = channel, Target = target, Timeout = request.Timeout, StartedAt = started, Route = route, Cancellation = cancellationToken,
                    },
                    FirstStepOf(route));

    // Only requests on connections have to be shown to the step that finds them, where it is the first.
    private int FirstStepOf(ConnectionRoute? route) => route is null && _cacheStep is null ? _connectionStep.Position + 1 : 0;

    private static CoapAddress AddressOf(CoapUri uri, IPAddress address)
    {
        CoapAddress remote = CoapAddress.Of(address, (ushort)uri.Port);
        if (remote.IsMulticast)
        {
            throw new CoapException(uri.Scheme is not ("coap" or "coaps")
                ? $"{uri.Host} is a group, and {uri.Scheme} is between two (RFC 8323 section 8). Give the address of a member, or use coap and SendToGroupAsync."
                : $"{uri.Host} is a group: its members answer one by one, and only to Non-confirmable requests (RFC 7252 section 8.1). Use SendToGroupAsync, or give the address of a member.");
        }

        return remote;
    }

    private static void CheckCode(CoapRequest request)
    {
        if (!request.Code.IsRequest)
        {
            throw new ArgumentException($"{request.Code} is not the code of a request; those are 0.01 to 0.31 (RFC 7252 section 12.1.1).", nameof(request));
        }

        if (request.Code == CoapCode.Fetch && !request.Options.Contains(OptionNumber.ContentFormat))
        {
            throw new ArgumentException("FETCH needs the Content-Format of what it asks (RFC 8132 section 2.3.1). Set Content with a format.", nameof(request));
        }
    }

    private static CoapMessage Copy(CoapRequest request)
    {
        // A request may be sent several times, even at once: each sending has a message of its own.
        CoapMessage message = new(request.Code)
        {
            Type = request.Confirmable ? CoapMessageType.Confirmable : CoapMessageType.NonConfirmable,
            Payload = request.Payload,
        };
        if (request.Message.HasOptions)
        {
            message.Options.AddAll(request.Options);
        }

        return message;
    }

    // Requests to the same resource that have no options of their own share those that name it.
    private static CoapMessage Share(CoapRequest request, CoapUri uri) => new(request.Code, uri.ResourceOptions)
    {
        Type = request.Confirmable ? CoapMessageType.Confirmable : CoapMessageType.NonConfirmable,
        Payload = request.Payload,
    };

    private static void AddTarget(CoapMessage message, CoapUri uri, CoapAddress remote)
    {
        // RFC 7252 section 5.10.2: Proxy-Uri is never sent together with Uri-Host, Uri-Port, Uri-Path or Uri-Query.
        if (!message.Options.Contains(OptionNumber.ProxyUri))
        {
            if (uri.Literal == remote)
            {
                uri.AddTo(message.Options);
            }
            else
            {
                uri.AddTo(message.Options, remote.ToIPAddress(), remote.Port);
            }
        }
    }

    private static CoapUri ParseTarget(string uri)
    {
        if (!CoapUri.TryParse(uri, out CoapUri? target, out string? error))
        {
            throw new ArgumentException(error);
        }

        return target.Port != 0 ? target : throw new ArgumentException($"'{uri}' has port 0, which nothing can be sent to. Give the port that the server listens on.");
    }
}
