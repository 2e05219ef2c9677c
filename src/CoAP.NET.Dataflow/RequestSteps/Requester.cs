using System.Diagnostics;
using System.Net;
using CoAP.NET.Composition;
using CoAP.NET.Connecting;
using CoAP.NET.Errors;
using CoAP.NET.Exchanges;

namespace CoAP.NET.RequestSteps;

/// <summary>
/// Sends the requests of users: finds transport, host and channel, and passes the request to the steps. Thread-safe; the caller must hold
/// no lock.
/// </summary>
/// <param name="environment">Provides clock and telemetry.</param>
/// <param name="transports">The transports.</param>
/// <param name="hosts">Finds hosts.</param>
/// <param name="channels">Finds peers.</param>
/// <param name="steps">The steps of requests.</param>
internal sealed class Requester(CoapEnvironment environment, TransportSet transports, HostLookup hosts, ChannelFinder channels,
    OutgoingRequestSteps steps)
{
    /// <summary>Sends a request to the host of its URI. See <see cref="CoapEndpoint.SendAsync"/>.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting and retransmitting.</param>
    /// <returns>The response. All errors fault the task.</returns>
    public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken)
    {
        try
        {
            return TrySendAtOnce(request, cancellationToken) ?? FindAndSendAsync(request, cancellationToken);
        }
#pragma warning disable CA1031 // all errors go to the caller that awaits the response
        catch (Exception exception)
#pragma warning restore CA1031
        {
            return Task.FromException<CoapResponse>(exception);
        }
    }

    /// <summary>Sends a request to a peer, whatever host its URI names.</summary>
    /// <returns>The response, which may be an error response.</returns>
    public Task<CoapResponse> SendAsync(CoapChannel channel, CoapRequest request, CancellationToken cancellationToken)
    {
        RequestComposer.Check(request);
        CoapMessage message = RequestComposer.Compose(channel, request, out CoapUri? target);
        ConnectionRoute? route = channel.IsConnection ? ConnectionPool.RouteTo(channel.Wire) : null;
        return SendAsync(request, message, channel, target, isOfTarget: false, environment.Now, route, cancellationToken);
    }

    /// <summary>
    /// Checks whether the host of a URI is reachable. See <see cref="CoapEndpoint.PingAsync(CoapUri, TimeSpan?, CancellationToken)"/>.
    /// </summary>
    /// <param name="uri">Scheme, host and port.</param>
    /// <param name="time">How long all of it may take.</param>
    /// <param name="cancellationToken">Stops waiting and retransmitting.</param>
    /// <returns>The round-trip time.</returns>
    public async Task<TimeSpan> PingAsync(CoapUri uri, ClientRequestTimeLimit time, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(uri);
        CoapUri target = RequestComposer.CheckTarget(uri);
        long started = environment.Now;
        CoapTransport transport = await transports.ForAsync(target.Scheme, cancellationToken).ConfigureAwait(false);
        IPAddress[] addresses = await hosts.FindInTimeAsync(target, CoapCode.Empty, time, started, cancellationToken).ConfigureAwait(false);
        if (transport is CoapConnectionTransport stream)
        {
            return await PingAsync(ChannelFinder.RouteTo(stream, target, addresses), time, started, cancellationToken)
                .ConfigureAwait(false);
        }

        for (int i = 0; ; i++)
        {
            try
            {
                // One time limit for all addresses.
                CoapChannel channel = channels.ChannelTo(transport, HostLookup.AddressOf(target, addresses[i]));
                return await steps.Sender.PingAsync(channel, time.Since(started, environment.Now), passesQueue: false, cancellationToken)
                    .ConfigureAwait(false);
            }
            catch (CoapException exception)
                when (i + 1 < addresses.Length && exception.Error is CoapError.Unreachable or CoapError.SendFailed)
            {
                // See FindAndSendAsync.
            }
        }
    }

    /// <summary>Checks whether a peer is reachable.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="time">How long it may take.</param>
    /// <param name="cancellationToken">Stops waiting and retransmitting.</param>
    /// <returns>The round-trip time.</returns>
    public Task<TimeSpan> PingAsync(CoapChannel channel, ClientRequestTimeLimit time, CancellationToken cancellationToken) =>
        channel.IsConnection
            ? PingAsync(ConnectionPool.RouteTo(channel.Wire), time, environment.Now, cancellationToken)
            : steps.Sender.PingAsync(channel.Wire, time, passesQueue: false, cancellationToken);

    /// <summary>
    /// Sends a request with a token of a stateless client (RFC 8974 section 3), or as a plain request if the support of the peer for such
    /// tokens is unknown.
    /// </summary>
    /// <returns>The response if it was sent as a plain request; otherwise null.</returns>
    public async Task<CoapResponse?> SendStatelessAsync(CoapRequest request, StatelessTokenHandler tokens, byte[] state,
        CancellationToken cancellationToken)
    {
        RequestComposer.Check(request);
        CoapUri uri = RequestComposer.CheckTarget(
            request.Uri ?? throw new ArgumentException("The request has no URI. Create it with one.", nameof(request)));
        CoapTransport transport = await transports.ForAsync(uri.Scheme, cancellationToken).ConfigureAwait(false);
        IPAddress[] found = await hosts.FindAsync(uri, cancellationToken, request.OnBehalfOf).ConfigureAwait(false);
        IPAddress[] addresses = HostLookup.Reachable(found, request.LocalAddress, uri);
        CoapAddress remote = HostLookup.AddressOf(uri, addresses[0]);
        CoapMessage message = RequestComposer.Copy(request);
        RequestComposer.AddTarget(message, uri, remote);
        CoapChannel channel;
        if (transport is CoapConnectionTransport stream)
        {
            // The peer's CSM announces the maximum token length (RFC 8974 section 2.2.1).
            channel = await steps.Connection.ConnectAsync(
                ChannelFinder.RouteTo(stream, uri, addresses, request.LocalAddress), message, needsCapabilities: true,
                new ClientRequestTimeLimit(request.Timeout),
                cancellationToken).ConfigureAwait(false);
            RequestSender.OmitSentHost(message, channel);
        }
        else
        {
            channel = channels.ChannelTo(transport, remote, request.LocalAddress);
        }

        // A protected request must keep the state that verifies its response, so it is not stateless.
        channel = channel.ProtectedFor(uri, message);
        int length = tokens.TokenOverhead + state.Length;
        if (channel.Carried is null && steps.Token.Supports(channel, length))
        {
            message.Token = tokens.Seal(state, channel);
            steps.Sender.SendStateless(channel, message);
            return null;
        }

        // RFC 8974 section 3.2: a request with state detects the support.
        OutgoingRequest outgoing = new()
        {
            Request = request,
            Message = message,
            Channel = channel,
            Target = uri,
            Timeout = request.Timeout,
            StartedAt = environment.Now,
            Cancellation = cancellationToken,
            TokenLength = length,
        };
        return await steps.Chain.SendAsync(outgoing, steps.Token.Position).ConfigureAwait(false);
    }

    /// <summary>Sends a request that needs no wait: its URI names an address, and the transport exists. Otherwise returns null.</summary>
    private Task<CoapResponse>? TrySendAtOnce(CoapRequest request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        RequestComposer.Check(request);
        CoapUri uri = TargetOf(request);
        if (uri.Literal is not { } remote || remote.IsMulticast || transports.StartedFor(uri.Scheme) is not { } transport
            || transport is CoapConnectionTransport)
        {
            return null;
        }

        if (request.LocalAddress is { } local)
        {
            HostLookup.Reachable(uri.Addresses!, local, uri);
        }

        CoapMessage message;
        bool isOfTarget = true;
        if (request.Message.HasOptions)
        {
            isOfTarget = !RequestComposer.NamesResource(request.Message);
            message = RequestComposer.Copy(request);
            RequestComposer.AddTarget(message, uri, remote);
        }
        else
        {
            message = RequestComposer.CreateWithSharedOptions(request, uri);
        }

        return SendAsync(request, message, channels.ChannelTo(transport, remote, request.LocalAddress), uri, isOfTarget, environment.Now,
            null, cancellationToken);
    }

    private static CoapUri TargetOf(CoapRequest request) =>
        RequestComposer.CheckTarget(request.Uri
            ?? throw new ArgumentException("The request has no URI. Create it with one, or send it to a CoapPeer.", nameof(request)));

    private async Task<CoapResponse> FindAndSendAsync(CoapRequest request, CancellationToken cancellationToken)
    {
        CoapUri uri = TargetOf(request);
        long started = environment.Now;
        CoapTransport transport = await transports.ForAsync(uri.Scheme, cancellationToken).ConfigureAwait(false);
        IPAddress[] found = await hosts.FindInTimeAsync(
            uri, request.Code, new ClientRequestTimeLimit(request.Timeout), started, cancellationToken, request.OnBehalfOf)
                .ConfigureAwait(false);
        IPAddress[] addresses = HostLookup.Reachable(found, request.LocalAddress, uri);
        bool isOfTarget = !RequestComposer.NamesResource(request.Message);
        if (transport is CoapConnectionTransport stream)
        {
            // The step that opens the connection tries all addresses.
            ConnectionRoute route = ChannelFinder.RouteTo(stream, uri, addresses, request.LocalAddress);
            CoapMessage plain = RequestComposer.Copy(request);
            RequestComposer.AddTarget(plain, uri, route.Addresses[0]);
            return await SendAsync(request, plain, channels.ChannelOf(route), uri, isOfTarget, started, route, cancellationToken)
                .ConfigureAwait(false);
        }

        for (int i = 0; ; i++)
        {
            CoapAddress remote = HostLookup.AddressOf(uri, addresses[i]);
            CoapMessage message = RequestComposer.Copy(request);
            RequestComposer.AddTarget(message, uri, remote);
            try
            {
                // One time limit for all addresses.
                CoapChannel channel = channels.ChannelTo(transport, remote, request.LocalAddress);
                return await SendAsync(request, message, channel, uri, isOfTarget, started, null, cancellationToken)
                    .ConfigureAwait(false);
            }
            catch (CoapConnectionException exception) when (i + 1 < addresses.Length
                && exception is { Error: CoapError.Unreachable or CoapError.SendFailed, HasBegun: false })
            {
                // Nothing listens there, or the address is unreachable, so nothing happened: try the next address of the name.
            }
        }
    }

    private Task<CoapResponse> SendAsync(
        CoapRequest request, CoapMessage message, CoapChannel channel, CoapUri? target, bool isOfTarget, long started,
        ConnectionRoute? route, CancellationToken cancellationToken)
    {
        if (request.CacheMode == CoapCacheMode.OnlyIfCached && steps.Cache is null)
        {
            return Task.FromException<CoapResponse>(RequestErrors.NotCached());
        }

        OutgoingRequest outgoing = new()
        {
            Request = request, Message = message, Channel = channel.ProtectedFor(target, message), Target = target,
            IsOfTarget = isOfTarget, Timeout = request.Timeout, StartedAt = started,
            Route = route, Cancellation = cancellationToken,
        };
        return environment.Telemetry.IsRequesting ? MeasureAsync(outgoing) : steps.Chain.SendAsync(outgoing, steps.FirstFor(route));
    }

    private async Task<CoapResponse> MeasureAsync(OutgoingRequest request)
    {
        CoapChannel channel = request.Channel;
        byte code = request.Request.Code.Value;
        ClientRequestMeter meter = new(environment, channel.IsReliable, code);
        if (CoapTelemetry.Source.HasListeners())
        {
            meter.Begin(TelemetryTags.MethodOf(code), request.Target, channel.Transport.Scheme, channel.Remote.ToIPAddress().ToString(),
                channel.Remote.Port);
        }

        request.Meter = meter;
        AddContext(request.Message, meter.Context);
        try
        {
            CoapResponse response = await steps.Chain.SendAsync(request, steps.FirstFor(request.Route)).ConfigureAwait(false);
            meter.End(response.Code);
            return response;
        }
        catch (Exception exception)
        {
            meter.Fail(exception);
            throw;
        }
    }

    private void AddContext(CoapMessage message, ActivityContext? context)
    {
        if (environment.Telemetry.ContextOption is var number and not 0 && context is { } sent
            && message.OptionsToRead?.Contains(number) != true)
        {
            Span<byte> value = stackalloc byte[TraceContext.Length];
            TraceContext.Write(sent, value);
            message.Options.Add(number, value);
        }
    }

    private async Task<TimeSpan> PingAsync(
        ConnectionRoute route, ClientRequestTimeLimit time, long started, CancellationToken cancellationToken)
    {
        CoapMessage ping = new();
        for (bool isFirst = true; ; isFirst = false)
        {
            CoapChannel channel = await steps.Connection.ConnectAsync(
                route, ping, needsCapabilities: false, time.Since(started, environment.Now), cancellationToken).ConfigureAwait(false);
            try
            {
                return await steps.Sender.PingAsync(channel, time.Since(started, environment.Now), passesQueue: false, cancellationToken)
                    .ConfigureAwait(false);
            }
            catch (CoapConnectionException exception) when (isFirst && exception.IsUnsent && route.Only is null)
            {
                // The connection had ended before its first use.
            }
        }
    }
}
