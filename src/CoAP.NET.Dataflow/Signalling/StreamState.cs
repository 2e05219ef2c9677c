namespace CoAP.NET.Signalling;

/// <summary>The signalling state of one connection of a reliable transport (RFC 8323 section 5). Guarded by the shard's lock.</summary>
internal sealed class StreamState(ConnectionMonitor watch, CoapChannel channel, long now) : ConnectionSignallingState(watch, channel)
{
    /// <summary>The progress of the transport at the last check.</summary>
    public ConnectionProgressMonitor Progress = new();

    public long OpenedAt { get; } = now;

    /// <summary>
    /// The time of the last signalling message of the peer, in units of 100 ns; <see cref="CoapChannel.LastSeen"/> covers other messages.
    /// </summary>
    public long LastHeard { get; set; } = now;

    /// <summary>The time of the last message of a peer over any transport, in units of 100 ns.</summary>
    public static long LastHeardOf(CoapChannel channel) =>
        (Of(channel) as StreamState)?.Heard ?? channel.LastSeen;

    /// <summary>The time of the last message of the peer, in units of 100 ns.</summary>
    public long Heard => Math.Max(LastHeard, Channel.LastSeen);

    /// <summary>
    /// Whether the peer released the connection, or will send nothing more, so this end closes as soon as nothing is pending.
    /// </summary>
    public bool ClosesWhenQuiet { get; set; }

    /// <summary>Whether the peer ended its side, so no response of it will arrive.</summary>
    public bool IsHalfClosed { get; set; }

    /// <summary>How long the peer asked not to be connected to again (RFC 8323 section 5.5); null for unspecified.</summary>
    public TimeSpan? HoldOff { get; set; }

    /// <summary>The addresses that the peer requested to connect to instead (RFC 8323 section 5.5).</summary>
    public IReadOnlyList<string> AlternativeAddresses { get; set; } = [];

    /// <summary>
    /// The time of the last message other than Ping and Pong, as far as <see cref="CoapChannel.LastSeen"/> does not cover it.
    /// </summary>
    public long LastUsed { get; set; } = now;

    /// <summary>The time of the Ping that no message has followed yet; null without one.</summary>
    public long? PingSentAt { get; set; }

    /// <summary>Pings of callers that wait for their Pong, by token; created on first use.</summary>
    public Dictionary<CoapToken, CoapTransmission>? Pings { get; set; }

    /// <summary>
    /// Pings of the peer whose Pong waits until earlier requests are answered (RFC 8323 section 5.4.1); created on first use.
    /// </summary>
    public ReceivedCustodyPings? Custody { get; set; }

    /// <summary>Messages that change until they leave (<see cref="ITransmissionOwner"/>) and wait for room on the connection.</summary>
    public LinkedList<CoapTransmission> Waiting => field ??= new();

    /// <summary>Completes when the connection is ready, or over; created for the first waiter.</summary>
    public TaskCompletionSource? Ready { get; set; }

    /// <summary>Sends a message after the release of the lock.</summary>
    /// <param name="message">The message.</param>
    /// <param name="isLast">Whether to close the connection after it.</param>
    public void Post(CoapMessage message, bool isLast = false) =>
        Channel.Shard.Post(new CoapOutbound { Channel = Channel, Message = message, IsLast = isLast });

    /// <inheritdoc/>
    protected override void Look()
    {
        CoapConnection connection = Channel.Connection!;
        CoapConnectionTransferProgress progress = connection.Progress;
        bool isHeld = connection.IsCongested || connection.IsUnderBackpressure || Channel.Connection!.Requests!.IsPaused;
        Channel.Shard.Enter();
        try
        {
            Watch.Judge(this, progress, isHeld, Channel.Shard.Environment.Now);
        }
        finally
        {
            Channel.Shard.ExitAndSend();
        }
    }
}
