using CoAP.NET.Composition.Stages;
using CoAP.NET.Exchanges;
using CoAP.NET.Messaging;

namespace CoAP.NET.Composition;

/// <summary>
/// Implements the calls of session transports when a session moves to another process. Takes the lock of the session's shard.
/// </summary>
internal static class SessionHandoverOperations
{
    /// <summary>Whether requests of either side are in progress, or the peer has not acknowledged an answer.</summary>
    public static bool IsBusy(CoapShardPipeline pipeline, CoapChannel channel)
    {
        lock (channel.Shard.Gate)
        {
            return !channel.IsForgotten
                && (MessagingSessionHandover.IsBusy(channel) || ExchangeLayer.HasPending(channel, out _));
        }
    }

    /// <summary>
    /// Refuses new requests of the peer, and waits until the requests of both sides are answered. If the peer does not acknowledge a
    /// request of this endpoint, the wait ends after ACK_TIMEOUT times ACK_RANDOM_FACTOR, because a sleeping peer must not delay the
    /// handover.
    /// </summary>
    /// <param name="pipeline">The pipeline of the session's shard.</param>
    /// <param name="channel">The channel of the session.</param>
    /// <param name="cancellationToken">Ends the wait; new requests stay refused.</param>
    public static async Task FinishAsync(CoapShardPipeline pipeline, CoapChannel channel, CancellationToken cancellationToken)
    {
        CoapEnvironment environment = channel.Shard.Environment;
        long began = environment.TimeProvider.GetTimestamp();
        while (true)
        {
            Task changed;
            TimeSpan left = Timeout.InfiniteTimeSpan;
            lock (channel.Shard.Gate)
            {
                changed = MessagingSessionHandover.Begin(channel).NextChange();
                if (channel.IsForgotten)
                {
                    return;
                }

                bool hasPending = ExchangeLayer.HasPending(channel, out bool isAcknowledged);
                if (!MessagingSessionHandover.IsBusy(channel))
                {
                    if (!hasPending)
                    {
                        return;
                    }

                    if (!isAcknowledged)
                    {
                        left = (channel.Parameters.AckTimeout * channel.Parameters.AckRandomFactor)
                            - environment.TimeProvider.GetElapsedTime(began);
                        if (left <= TimeSpan.Zero)
                        {
                            return;
                        }
                    }
                }
            }

            try
            {
                // Timers truncate fractions of a millisecond: the wait would end too early and loop until it is over.
                left = left == Timeout.InfiniteTimeSpan ? left : TimeSpan.FromMilliseconds(Math.Ceiling(left.TotalMilliseconds));
                await changed.WaitAsync(left, environment.TimeProvider, cancellationToken).ConfigureAwait(false);
            }
            catch (TimeoutException)
            {
                // It looks again.
            }
        }
    }

    /// <summary>Stops receiving from the peer, and exports the history of its messages.</summary>
    /// <returns>For <see cref="Resume"/>, elsewhere; empty for nothing.</returns>
    public static byte[] ExportState(CoapShardPipeline pipeline, CoapChannel channel)
    {
        CoapShard shard = channel.Shard;
        HandoverMessageHistory history;
        shard.Enter();
        try
        {
            history = pipeline.Messages.MessagingSessionHandover.ExportState(channel, shard.Environment.Now);
        }
        finally
        {
            shard.ExitAndSend();
        }

        byte[] bytes = history.Write(out int leftOut);
        if (leftOut > 0)
        {
            shard.Environment.Counters.Add(CoapCounter.UnsafeDeduplicationEvictions, leftOut);
        }

        return bytes;
    }

    /// <summary>
    /// Imports deduplication state, so that copies of a peer's messages to the other process are answered and not executed.
    /// </summary>
    /// <param name="pipeline">The pipeline of the session's shard.</param>
    /// <param name="channel">The channel of the session, which is new.</param>
    /// <param name="bytes">The result of <see cref="ExportState"/>.</param>
    public static void Resume(CoapShardPipeline pipeline, CoapChannel channel, ReadOnlySpan<byte> bytes)
    {
        HandoverMessageHistory retired = HandoverMessageHistory.Read(bytes);
        channel.Shard.Enter();
        try
        {
            pipeline.Messages.MessagingSessionHandover.Restore(channel, retired, channel.Shard.Environment.Now);
        }
        finally
        {
            channel.Shard.ExitAndSend();
        }
    }
}
