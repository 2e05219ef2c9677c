using CoAP.NET.Errors;
using CoAP.NET.Groups;

namespace CoAP.NET.Exchanges;

/// <summary>Passes the messages of this endpoint to the pipeline of their peer, without any step. The caller must hold no lock.</summary>
/// <param name="environment">Provides the clock.</param>
/// <param name="senders">The entries to the pipelines, one for each shard.</param>
internal sealed class RequestSender(CoapEnvironment environment, ClientSender[] senders)
{
    /// <summary>Performs one exchange of messages (RFC 7252 section 5).</summary>
    /// <param name="request">The request; its message belongs to this exchange.</param>
    /// <param name="run">The steps that get the response when it is delivered; the default if a caller awaits it instead.</param>
    /// <returns>The response, which may be an error response.</returns>
    public Task<CoapResponse> SendAsync(OutgoingRequest request, in OutgoingRequestRun run)
    {
        if (request.Route is { } route)
        {
            route.MessagesSent++;
        }

        CoapChannel channel = request.Channel;
        OmitSentHost(request.Message, channel);
        ClientRequest sent = SenderOf(channel).Begin(
            channel, request.Message, request.Timeout is null ? default : request.TimeAt(environment.Now), in run, request.Cancellation,
            request.Request.IsForwarded, request.Request.OnBehalfOf, request.KeepsToken);
        request.Meter?.OnSent(sent.Transmission, request.Message);
        return sent.Task;
    }

    /// <summary>Checks whether a peer is reachable (RFC 7252 section 4.3, RFC 8323 section 5.4).</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="time">How long it may take.</param>
    /// <param name="passesQueue">Whether it bypasses the queue of outstanding messages.</param>
    /// <param name="cancellationToken">Stops waiting and retransmitting.</param>
    /// <returns>The round-trip time.</returns>
    public Task<TimeSpan> PingAsync(
        CoapChannel channel, ClientRequestTimeLimit time, bool passesQueue, CancellationToken cancellationToken) =>
        SenderOf(channel).PingAsync(channel, time, passesQueue, cancellationToken);

    /// <summary>Sends a request without keeping state: its state is in its token (RFC 8974 section 3).</summary>
    public void SendStateless(CoapChannel channel, CoapMessage message) => SenderOf(channel).SendStateless(channel, message);

    /// <summary>Sends a request to a group and starts to accept the responses of its members.</summary>
    /// <param name="requests">The running requests.</param>
    /// <param name="channel">The group.</param>
    /// <param name="message">The message.</param>
    /// <param name="settings">Which responses are accepted, and for how long.</param>
    /// <returns>The request; null if too many are running.</returns>
    public GroupRequest? TryBegin(GroupRequests requests, CoapChannel channel, CoapMessage message, in GroupRequestSettings settings) =>
        SenderOf(channel).TryBegin(requests, channel, message, in settings);

    /// <summary>Reserves a token with any number of responses: for an observation (RFC 7641), or a message of a body (RFC 9177).</summary>
    public MultiResponseToken Open(CoapChannel channel, ITokenOwner owner) => SenderOf(channel).Open(channel, owner);

    /// <summary>Takes over a token of an earlier process.</summary>
    /// <returns>The token; null if another request to the peer uses it.</returns>
    public MultiResponseToken? TryAdopt(CoapChannel channel, CoapToken token, ITokenOwner owner) =>
        SenderOf(channel).TryAdopt(channel, token, owner);

    public void Close(MultiResponseToken request) => SenderOf(request.Channel).Close(request);

    /// <summary>Sends a message with such a token.</summary>
    /// <returns>Why it could not be sent; null if it was sent.</returns>
    public CoapException? Send(CoapTransmission transmission)
    {
        OmitSentHost(transmission.Message, transmission.Channel);
        return SenderOf(transmission.Channel).Send(transmission);
    }

    /// <summary>Stops retransmitting a message.</summary>
    public void Stop(CoapTransmission transmission) => SenderOf(transmission.Channel).Cancel(transmission);

    /// <summary>Removes a host name that TLS already told the server (RFC 8323 section 8.5).</summary>
    public static void OmitSentHost(CoapMessage message, CoapChannel channel)
    {
        if (channel is { IsReliable: true, Connection: { IsInitiator: true, ServerName: { } told, Transport.ProvidesServerName: true } }
            && message.OptionsToRead?.UriHost is { } host && string.Equals(host, told, StringComparison.OrdinalIgnoreCase))
        {
            message.Options.Remove(OptionNumber.UriHost);
        }
    }

    private ClientSender SenderOf(CoapChannel channel) => senders[channel.Shard.Index];
}
