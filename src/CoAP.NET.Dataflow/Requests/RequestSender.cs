using CoAP.NET.Exchanges;
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
            channel, request.Message, request.Timeout is null ? default : request.TimeAt(environment.Now), in run, request.Cancellation);
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
    public void SendStateless(CoapChannel channel, CoapMessage message)
    {
        CoapPipeline pipeline = PipelineOf(channel);
        CoapChannel held = Hold(pipeline, channel);
        try
        {
            pipeline.Sender.SendStateless(held, message);
        }
        finally
        {
            Release(held);
        }
    }

    /// <summary>Reserves a token that stays, as of an observation.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="owner">Who is told what comes with the token.</param>
    /// <returns>The token.</returns>
    public StandingRequest Open(CoapChannel channel, IStandingOwner owner) => PipelineOf(channel).Sender.Open(channel, owner);

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

    /// <summary>Keeps a channel: until it is released nobody forgets it. One that was forgotten, as of a peer that a server remembers for
    /// days, comes back into the table: an answer would not find it otherwise.</summary>
    /// <param name="pipeline">That of its shard.</param>
    /// <param name="channel">The channel.</param>
    /// <returns>The channel by which the peer is known.</returns>
    public static CoapChannel Hold(CoapPipeline pipeline, CoapChannel channel)
    {
        pipeline.Shard.Enter();
        try
        {
            channel = pipeline.Channels.Restore(channel);
            channel.Pins++;
            return channel;
        }
        finally
        {
            pipeline.Shard.Exit();
        }
    }

    /// <summary>Ends what <see cref="Hold"/> began, when the request is registered.</summary>
    /// <param name="channel">The channel that it returned.</param>
    public static void Release(CoapChannel channel)
    {
        lock (channel.Shard.Gate)
        {
            channel.Pins--;
        }
    }

    /// <summary>Leaves out a name that TLS told the server already (RFC 8323 section 8.5).</summary>
    /// <param name="message">The message.</param>
    /// <param name="channel">The connection.</param>
    public static void LeaveOutToldHost(CoapMessage message, CoapChannel channel)
    {
        if (channel.ToldHost is { } told && message.OptionsToRead?.UriHost is { } host && string.Equals(host, told, StringComparison.OrdinalIgnoreCase))
        {
            message.Options.Remove(OptionNumber.UriHost);
        }
    }

    /// <summary>The pipeline of a peer.</summary>
    /// <param name="channel">The peer.</param>
    public CoapPipeline PipelineOf(CoapChannel channel) => pipelines[channel.Shard.Index];
}
