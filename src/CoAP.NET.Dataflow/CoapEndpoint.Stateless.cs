using System.Net;
using CoAP.NET.Channels;
using CoAP.NET.Connecting;
using CoAP.NET.Exchanges;
using CoAP.NET.Requests;
using CoAP.NET.Transports;

namespace CoAP.NET;

// Requests whose state is in their token (RFC 8974 section 3).
public sealed partial class CoapEndpoint
{
    internal StatelessReceivers Stateless => _state.Stateless;

    /// <summary>Sends a request with a token of a stateless client, or, where the peer is not known to understand such tokens, as any other.</summary>
    /// <returns>The response where it was sent as any other; otherwise null.</returns>
    internal async Task<CoapResponse?> SendStatelessAsync(CoapRequest request, StatelessTokens tokens, byte[] state, CancellationToken cancellationToken)
    {
        CheckCode(request);
        CoapUri uri = ParseTarget(request.UriText ?? throw new ArgumentException("The request has no URI. Make it with one.", nameof(request)));
        CoapTransport transport = await TransportForAsync(uri.Scheme, cancellationToken).ConfigureAwait(false);
        IPAddress[] addresses = Reachable(await _hosts.FindAsync(uri, cancellationToken).ConfigureAwait(false), request.LocalAddress, uri);
        CoapAddress remote = AddressOf(uri, addresses[0]);
        CoapMessage message = Copy(request);
        AddTarget(message, uri, remote);
        CoapChannel channel;
        if (transport is CoapConnectionTransport stream)
        {
            // How long a token may be is known from the peer's CSM (RFC 8974 section 2.2.1).
            channel = await _connectionStep.ConnectAsync(
                RouteTo(stream, uri, addresses, request.LocalAddress), message, needsCapabilities: true, new RequestTime(request.Timeout),
                cancellationToken).ConfigureAwait(false);
            RequestSender.LeaveOutToldHost(message, channel);
        }
        else
        {
            channel = ChannelTo(transport, remote, request.LocalAddress);
        }

        if (_tokenStep.Supports(channel, StatelessTokens.Overhead + state.Length))
        {
            message.Token = tokens.Seal(state, channel);
            _sender.SendStateless(channel, message);
            return null;
        }

        // RFC 8974 section 3.2: support is found out by a request that is kept.
        OutgoingRequest outgoing = new()
        {
            Request = request,
            Message = message,
            Channel = channel,
            Target = uri,
            Timeout = request.Timeout,
            StartedAt = _environment.Now,
            Cancellation = cancellationToken,
            TokenLength = StatelessTokens.Overhead + state.Length,
        };
        return await _chain.SendAsync(outgoing, _tokenStep.Position).ConfigureAwait(false);
    }
}
