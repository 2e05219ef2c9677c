using CoAP.NET.Transports;

namespace CoAP.NET.Signalling;

/// <summary>What signalling keeps of one connection of a reliable transport (RFC 8323 section 5). Guarded by the shard's lock.</summary>
internal sealed class StreamState(ConnectionWatch watch, CoapChannel channel, long now) : ConnectionState(watch, channel, now)
{
    /// <summary>How far the transport was when it was last looked at.</summary>
    public ProgressWatch Progress = new();

    public long OpenedAt { get; } = now;

    /// <summary>Whether the peer asked for the end, or will send nothing more, so that we close as soon as nothing is under way.</summary>
    public bool ClosesWhenQuiet { get; set; }

    /// <summary>Whether the peer ended its side, so that no response of it is to come.</summary>
    public bool IsHalfClosed { get; set; }

    /// <summary>How long the peer asked not to be connected to again (RFC 8323 section 5.5); null when it did not.</summary>
    public TimeSpan? HoldOff { get; set; }

    /// <summary>Where the peer asked to connect to instead (RFC 8323 section 5.5).</summary>
    public IReadOnlyList<string> AlternativeAddresses { get; set; } = [];

    /// <summary>
    /// When something other than Ping and Pong was last exchanged, as far as <see cref="CoapChannel.LastSeen"/> does not say it.
    /// </summary>
    public long LastUsed { get; set; } = now;

    /// <summary>When the Ping was sent after which nothing was heard yet; null without one.</summary>
    public long? PingSentAt { get; set; }

    /// <summary>Pings of users that wait for their Pong, by token; made when first needed.</summary>
    public Dictionary<CoapToken, CoapTransmission>? Pings { get; set; }

    /// <summary>
    /// Pings of the peer whose Pong waits until what came before is answered (RFC 8323 section 5.4.1); made when first needed.
    /// </summary>
    public CustodyPings? Custody { get; set; }

    /// <summary>Messages that change until they leave (<see cref="ITransmissionOwner"/>) and wait for room on the connection.</summary>
    public LinkedList<CoapTransmission> Waiting => field ??= new();

    /// <summary>Ends when the connection is ready, or over; made when somebody waits.</summary>
    public TaskCompletionSource? Ready { get; set; }

    /// <summary>Sends a message, after the lock was released.</summary>
    /// <param name="message">The message.</param>
    /// <param name="isLast">Whether the connection is closed after it.</param>
    public void Post(CoapMessage message, bool isLast = false) =>
        Channel.Shard.Post(new CoapOutbound { Channel = Channel, Message = message, IsLast = isLast });

    /// <inheritdoc/>
    protected override void Look()
    {
        CoapConnection connection = Channel.Connection!;
        CoapConnectionProgress progress = connection.Progress;
        bool isHeld = connection.IsCongested || connection.IsHeldUp || Channel.Requests!.IsPaused;
        Channel.Shard.Enter();
        try
        {
            Watch.Judge(this, progress, isHeld, Channel.Shard.Environment.Now);
        }
        finally
        {
            Channel.Shard.Exit();
        }
    }
}
