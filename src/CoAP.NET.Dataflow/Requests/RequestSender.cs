using CoAP.NET.Exchanges;
using CoAP.NET.Groups;
using CoAP.NET.Options;

namespace CoAP.NET.Requests;

/// <summary>Gives what this end sends on its own account to the pipeline of its peer: single messages, without any step. No lock may be
/// held when it is called.</summary>
/// <param name="environment">For the clock.</param>
/// <param name="pipelines">One for each shard.</param>
internal sealed class RequestSender(CoapEnvironment environment, CoapPipeline[] pipelines)
{
    /// <summary>One exchange of messages (RFC 7252 section 5).</summary>
    /// <param name="request">The request; its message belongs to this exchange.</param>
    /// <param name="run">The steps that see the response when it is taken; the default when somebody waits for it instead.</param>
    /// <returns>The response, an error response too.</returns>
    public Task<CoapResponse> SendAsync(OutgoingRequest request, in RequestRun run)
    {
        if (request.Route is { } route)
        {
            route.MessagesSent++;
        }

        CoapChannel channel = request.Channel;
        LeaveOutToldHost(request.Message, channel);
        ClientRequest sent = PipelineOf(channel).Sender.Begin(
            channel, request.Message, request.Timeout is null ? default : request.TimeAt(environment.Now), in run, request.Cancellation,
            request.Request.IsForwarded);
        request.Watch?.OnSent(sent.Transmission, request.Message);
        return sent.Task;
    }

    /// <summary>Asks a peer whether it is there (RFC 7252 section 4.3, RFC 8323 section 5.4).</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="time">How long it may take.</param>
    /// <param name="passesQueue">Whether it waits for no message that is outstanding.</param>
    /// <param name="cancellationToken">Stops waiting; no further copies are sent.</param>
    /// <returns>The round-trip time.</returns>
    public Task<TimeSpan> PingAsync(CoapChannel channel, RequestTime time, bool passesQueue, CancellationToken cancellationToken) =>
        PipelineOf(channel).Sender.PingAsync(channel, time, passesQueue, cancellationToken);

    /// <summary>Sends a request for which nothing is kept: its state is in its token (RFC 8974 section 3).</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="message">The message, with its token.</param>
    public void SendStateless(CoapChannel channel, CoapMessage message) => PipelineOf(channel).Sender.SendStateless(channel, message);

    /// <summary>Sends a request to a group and begins to take the answers of its members.</summary>
    /// <param name="requests">The requests that run.</param>
    /// <param name="channel">The group.</param>
    /// <param name="message">The message.</param>
    /// <param name="terms">For how long answers are taken, and which.</param>
    /// <returns>The request; null when too many run.</returns>
    public GroupRequest? TryBegin(GroupRequests requests, CoapChannel channel, CoapMessage message, in GroupTerms terms) =>
        PipelineOf(channel).Sender.TryBegin(requests, channel, message, in terms);

    /// <summary>Reserves a token that stays, as of an observation.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="owner">Who is told what comes with the token.</param>
    /// <returns>The token.</returns>
    public StandingRequest Open(CoapChannel channel, IStandingOwner owner) => PipelineOf(channel).Sender.Open(channel, owner);

    /// <summary>Takes a token of a process before.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="token">The token.</param>
    /// <param name="owner">Who is told what comes with the token.</param>
    /// <returns>The token; null when another request to the peer has it.</returns>
    public StandingRequest? TryAdopt(CoapChannel channel, CoapToken token, IStandingOwner owner) =>
        PipelineOf(channel).Sender.TryAdopt(channel, token, owner);

    /// <summary>Gives a token up.</summary>
    /// <param name="request">The token.</param>
    public void Close(StandingRequest request) => PipelineOf(request.Channel).Sender.Close(request);

    /// <summary>Sends a message that has a token which stays.</summary>
    /// <param name="transmission">The message.</param>
    /// <returns>Why it could not be sent; null when it was.</returns>
    public CoapException? Send(CoapTransmission transmission)
    {
        LeaveOutToldHost(transmission.Message, transmission.Channel);
        return PipelineOf(transmission.Channel).Sender.Send(transmission);
    }

    /// <summary>Sends no more copies of a message.</summary>
    /// <param name="transmission">The message.</param>
    public void Stop(CoapTransmission transmission) => PipelineOf(transmission.Channel).ExchangesOut.Cancel(transmission);

    /// <summary>Leaves out a name that TLS told the server already (RFC 8323 section 8.5).</summary>
    /// <param name="message">The message.</param>
    /// <param name="channel">The connection.</param>
    public static void LeaveOutToldHost(CoapMessage message, CoapChannel channel)
    {
        if (channel.ToldHost is { } told && message.OptionsToRead?.UriHost is { } host
            && string.Equals(host, told, StringComparison.OrdinalIgnoreCase))
        {
            message.Options.Remove(OptionNumber.UriHost);
        }
    }

    private CoapPipeline PipelineOf(CoapChannel channel) => pipelines[channel.Shard.Index];
}
