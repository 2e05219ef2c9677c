using CoAP.NET.Composition.Stages;
using CoAP.NET.Exchanges;
using CoAP.NET.Messaging;

namespace CoAP.NET.Composition;

/// <summary>
/// Implements the calls of session transports when a session moves to another process. Takes the lock of the session's shard.
/// </summary>
internal static class SessionHandoverOperations
{
    /// <summary>Whether requests of a peer or of ours are under way, or answers to those of the peer not acknowledged.</summary>
    public static bool IsBusy(CoapShardPipeline pipeline, CoapChannel channel)
    {
        lock (channel.Shard.Gate)
        {
            return !channel.IsForgotten
                && (MessagingSessionHandover.IsBusy(channel) || ExchangeLayer.HasPending(channel, out _));
        }
    }

    /// <summary>
    /// Takes no request any more that a peer has not sent before, and waits until those under way are answered, and ours. A peer that has
    /// not acknowledged one of ours is waited for as long as its first copy waits (ACK_TIMEOUT times ACK_RANDOM_FACTOR): one that sleeps
    /// must not hold up what is to go on elsewhere.
    /// </summary>
    /// <param name="pipeline">The pipeline of the session's shard.</param>
    /// <param name="channel">The channel of the session.</param>
    /// <param name="cancellationToken">Ends the waiting; requests are not taken nevertheless.</param>
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

    /// <summary>Ends what a peer may say, and gives what has to be known of what it said.</summary>
    /// <returns>For <see cref="Resume"/>, elsewhere; empty for nothing.</returns>
    public static byte[] ExportState(CoapShardPipeline pipeline, CoapChannel channel)
    {
        CoapShard shard = channel.Shard;
        HandoverMessageHistory retired;
        shard.Enter();
        try
        {
            retired = pipeline.Messages.MessagingSessionHandover.ExportState(channel, shard.Environment.Now);
        }
        finally
        {
            shard.ExitAndSend();
        }

        byte[] bytes = retired.Write(out int leftOut);
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
