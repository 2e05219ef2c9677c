using System.Net;
using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using CoAP.NET.Options;
using CoAP.NET.Pipeline;
using CoAP.NET.Transports;

namespace CoAP.NET;

// Requests that this endpoint sends.
public sealed partial class CoapEndpoint
{
    /// <summary>Sends a request to the host of its URI and waits for the response. A host name is tried address by address.</summary>
    /// <param name="request">The request, with a URI.</param>
    /// <param name="cancellationToken">Stops waiting; no further copies are sent.</param>
    /// <returns>The response, an error response too.</returns>
    /// <exception cref="ArgumentException">The request has no URI, or one that nothing can be sent to, or its code is not that of a request.</exception>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    public async Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        CoapUri uri = ParseTarget(request.UriText ?? throw new ArgumentException("The request has no URI. Make it with one, or send it to a CoapPeer.", nameof(request)));
        CoapTransport transport = await TransportForAsync(uri.Scheme, cancellationToken).ConfigureAwait(false);
        IPAddress[] addresses = await ResolveAsync(uri, cancellationToken).ConfigureAwait(false);
        for (int i = 0; ; i++)
        {
            CoapAddress remote = CoapAddress.FromIPEndPoint(new IPEndPoint(addresses[i], uri.Port));
            try
            {
                return await SendToAsync(request, uri, transport, remote, cancellationToken).ConfigureAwait(false);
            }
            catch (CoapUnreachableException) when (i + 1 < addresses.Length)
            {
                // Nobody listens there, so nothing happened: the next address of the name may be the right one.
            }
        }
    }

    /// <summary>Asks a peer whether it is there, by an Empty Confirmable message that it answers with a Reset (RFC 7252 section 4.3).</summary>
    /// <param name="uri">Scheme, host and port; a path is ignored.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The round-trip time, with retransmissions if there were any.</returns>
    /// <exception cref="CoapTimeoutException">The peer did not answer.</exception>
    /// <exception cref="CoapUnreachableException">Nobody listens there.</exception>
    public async Task<TimeSpan> PingAsync(string uri, CancellationToken cancellationToken = default)
    {
        CoapUri target = ParseTarget(uri);
        CoapTransport transport = await TransportForAsync(target.Scheme, cancellationToken).ConfigureAwait(false);
        IPAddress[] addresses = await ResolveAsync(target, cancellationToken).ConfigureAwait(false);
        for (int i = 0; ; i++)
        {
            CoapAddress remote = CoapAddress.FromIPEndPoint(new IPEndPoint(addresses[i], target.Port));
            try
            {
                return await PingAsync(ChannelTo(transport, remote), cancellationToken).ConfigureAwait(false);
            }
            catch (CoapUnreachableException) when (i + 1 < addresses.Length)
            {
                // Nobody listens there: the next address of the name may be the right one.
            }
        }
    }

    internal Task<TimeSpan> PingAsync(CoapChannel channel, CancellationToken cancellationToken) =>
        _pipelines[channel.Shard.Index].ExchangesOut.PingAsync(channel, cancellationToken);

    internal Task<CoapResponse> SendAsync(CoapChannel channel, CoapRequest request, CancellationToken cancellationToken)
    {
        CoapMessage message = Copy(request);
        if (request.UriText is { } text)
        {
            AddTarget(message, ParseTarget(text, channel.Transport.Scheme), channel.Remote);
        }

        return _pipelines[channel.Shard.Index].ExchangesOut.SendAsync(channel, message, request.Timeout, cancellationToken);
    }

    internal CoapChannel ChannelTo(CoapTransport transport, CoapAddress remote)
    {
        CoapPipeline pipeline = _pipelines[_context.ShardOf(remote)];
        ulong hash = _hash.Of(remote);
        long now = _environment.Now;
        pipeline.Shard.Enter();
        try
        {
            return pipeline.Channels.GetForOutbound(transport, remote, hash, now);
        }
        finally
        {
            pipeline.Shard.Exit();
        }
    }

    private async Task<CoapResponse> SendToAsync(CoapRequest request, CoapUri uri, CoapTransport transport, CoapAddress remote, CancellationToken cancellationToken)
    {
        if (remote.IsMulticast)
        {
            throw new CoapException($"{uri.Host} is a group: its members answer one by one, and only to Non-confirmable requests (RFC 7252 section 8.1). SendAsync waits for one response of one peer; give the address of a member.");
        }

        CoapMessage message = Copy(request);
        AddTarget(message, uri, remote);
        CoapChannel channel = ChannelTo(transport, remote);
        return await _pipelines[channel.Shard.Index].ExchangesOut.SendAsync(channel, message, request.Timeout, cancellationToken).ConfigureAwait(false);
    }

    private static CoapMessage Copy(CoapRequest request)
    {
        if (!request.Code.IsRequest)
        {
            throw new ArgumentException($"{request.Code} is not the code of a request; those are 0.01 to 0.31 (RFC 7252 section 12.1.1).", nameof(request));
        }

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

    private static void AddTarget(CoapMessage message, CoapUri uri, CoapAddress remote)
    {
        // RFC 7252 section 5.10.2: Proxy-Uri is never sent together with Uri-Host, Uri-Port, Uri-Path or Uri-Query.
        if (!message.Options.Contains(OptionNumber.ProxyUri))
        {
            uri.AddTo(message.Options, remote.ToIPAddress(), remote.Port);
        }
    }

    private static CoapUri ParseTarget(string text, string? baseScheme = null)
    {
        string absolute = baseScheme is not null && text.StartsWith('/') ? $"{baseScheme}://peer{text}" : text;
        if (!CoapUri.TryParse(absolute, out CoapUri? uri, out string? error))
        {
            throw new ArgumentException(error);
        }

        // Port 0 is legal in a URI, and nobody can be reached at it.
        return uri.Port != 0 ? uri : throw new ArgumentException($"'{text}' has port 0, which nothing can be sent to. Give the port that the server listens on.");
    }

    private async ValueTask<IPAddress[]> ResolveAsync(CoapUri uri, CancellationToken cancellationToken)
    {
        if (uri.HostAddress is { } literal)
        {
            return [literal];
        }

        IPAddress[] addresses;
        try
        {
            addresses = await _options.ResolveHost(uri.Host, cancellationToken).ConfigureAwait(false);
        }
        catch (System.Net.Sockets.SocketException exception)
        {
            throw new CoapException($"The host name '{uri.Host}' could not be resolved: {exception.Message}", exception);
        }

        return addresses.Length > 0 ? addresses : throw new CoapException($"The host name '{uri.Host}' has no address.");
    }
}
