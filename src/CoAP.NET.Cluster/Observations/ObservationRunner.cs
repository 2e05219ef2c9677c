using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Telemetry;
using CoAP.NET.Diagnostics;
using CoAP.NET.Observing.Client;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Observations;

/// <summary>
/// Continues observations at devices whose session has arrived, passes notifications to their handlers, and stores the latest ones.
/// Thread-safe.
/// </summary>
/// <param name="cluster">The cluster that owns the records.</param>
/// <param name="table">The observations of this node.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">The log of the cluster.</param>
internal sealed class ObservationRunner(CoapCluster cluster, DeviceObservationTable table, TimeProvider time, ILogger logger)
{
    private readonly Dictionary<string, Action<CoapPeer, CoapResponse>> _handlers = new(StringComparer.Ordinal);
    private readonly RateLimitedLog _refused = new(time);
    private readonly HashSet<string> _unhandled = new(StringComparer.Ordinal);

    public bool IsHandled(string name)
    {
        lock (table.Gate)
        {
            return _handlers.ContainsKey(name);
        }
    }

    /// <summary>Maps a name to a handler.</summary>
    /// <returns>False if it already has one.</returns>
    public bool TryMap(string name, Action<CoapPeer, CoapResponse> handler)
    {
        lock (table.Gate)
        {
            return _handlers.TryAdd(name, handler);
        }
    }

    /// <summary>Continues the kept observations of a device whose session has arrived.</summary>
    public void Match(CoapPeer peer)
    {
        if (table.Count == 0 || peer.DurableId is not { IsEmpty: false } session)
        {
            return;
        }

        foreach (DurableObservation observation in table.OfSession(session.Span))
        {
            if (cluster.FenceOf(observation.Key.Slot) == observation.Fence)
            {
                _ = BeginAsync(observation, peer);
            }
        }
    }

    /// <summary>Continues an observation, unless it already runs.</summary>
    /// <returns>A task that completes when the outcome of a necessary registration is known.</returns>
    public Task BeginAsync(DurableObservation observation, CoapPeer peer)
    {
        Action<CoapPeer, CoapResponse>? handler;
        CancellationTokenSource stop = new();
        TaskCompletionSource begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (table.Gate)
        {
            if (observation.Stop is not null)
            {
                return observation.Begun?.Task ?? Task.CompletedTask;
            }

            if (table.Find(observation.Key) != observation)
            {
                // It has ended since the caller found it.
                return Task.CompletedTask;
            }

            if (!_handlers.TryGetValue(observation.Name, out handler))
            {
                if (_unhandled.Add(observation.Name))
                {
                    ObservationLog.HasNoHandler(logger, observation.Name);
                }

                return Task.CompletedTask;
            }

            (observation.Stop, observation.Begun) = (stop, begun);
        }

        return BeginAsync(observation, peer, handler, stop, begun);
    }

    /// <summary>Handles the end of a device's session. The map shows whether another node has it now.</summary>
    public void OnDisconnected(CoapPeer peer)
    {
        foreach (DurableObservation observation in table.OfSession(peer.DurableId.Span))
        {
            lock (table.Gate)
            {
                (observation.Stop, observation.Observation) = (null, null);
                observation.AwaitedSince = time.GetTimestamp();
            }

            if (observation.IsDirty)
            {
                Write(observation, isHint: false);
            }
        }
    }

    /// <summary>Queues an observation for the store, unless it was removed from the table: its record would come back.</summary>
    /// <param name="observation">The observation.</param>
    /// <param name="isHint">Whether a newer write will follow.</param>
    public void Write(DurableObservation observation, bool isHint)
    {
        lock (table.Gate)
        {
            if (table.Find(observation.Key) == observation)
            {
                Put(observation, isHint);
            }
        }
    }

    private void Put(DurableObservation observation, bool isHint)
    {
        // Before the state is read: later changes are written the next time.
        observation.IsDirty = false;
        observation.WrittenAt = time.GetTimestamp();
        _ = cluster.Writer.TryWrite(
            CoapRecordWrite.Put(observation.Key, observation.Fence, ObservationRecord.Write(observation.Request, observation.Heard),
                ObservationRecord.Lifetime), isHint);
    }

    /// <summary>
    /// Stops an observation that was removed from the table, without a message to the device, because another node continues it.
    /// </summary>
    public void Leave(DurableObservation observation)
    {
        if (observation.IsDirty)
        {
            Put(observation, isHint: false);
        }

        // The waiting caller handles the outcome of a pending registration.
        (CoapObservation? made, _) = Stop(observation);
        made?.LeaveRegistered();
    }

    /// <summary>Ends an observation that was removed from the table, and deregisters at the device.</summary>
    public async Task EndAsync(DurableObservation observation)
    {
        (CoapObservation? made, CancellationTokenSource? stop) = Stop(observation);
        await (stop?.CancelAsync() ?? Task.CompletedTask).ConfigureAwait(false);
        if (made is not null)
        {
            await made.DisposeAsync().ConfigureAwait(false);
        }

        Remove(observation);
    }

    /// <summary>
    /// Removes the record of an observation that was removed from the table, unless another one has taken its place meanwhile.
    /// </summary>
    public void Remove(DurableObservation observation)
    {
        lock (table.Gate)
        {
            if (table.Find(observation.Key) is null)
            {
                _ = cluster.Writer.TryWrite(CoapRecordWrite.Remove(observation.Key, observation.Fence));
            }
        }
    }

    private async Task BeginAsync(DurableObservation observation, CoapPeer peer, Action<CoapPeer, CoapResponse> handler,
        CancellationTokenSource stop, TaskCompletionSource begun)
    {
        try
        {
            CoapExportedObservation kept = new(peer, observation.Request) { Heard = observation.Heard };
            CoapObservationOptions options = new()
            {
                OnNotification = response => OnNotification(observation, handler, peer, response),
            };
            Task<CoapObservation> resuming = peer.ResumeObservationAsync(kept, options, stop.Token);
            lock (table.Gate)
            {
                observation.HasToken = observation.Stop == stop;
            }

            CoapObservation made = await resuming.ConfigureAwait(false);
            bool goesOn;
            lock (table.Gate)
            {
                goesOn = observation.Stop == stop && !stop.IsCancellationRequested;
                observation.Observation = goesOn ? made : null;
            }

            if (goesOn)
            {
                ClusterMetric outcome = OutcomeOf(made);
                cluster.Counts.Add(outcome);
                if (outcome is ClusterMetric.ObservationsRefused or ClusterMetric.ObservationsDeclined && _refused.IsDue())
                {
                    ObservationLog.ObservationRefused(logger, observation.Name, $"{peer}", made.Latest!.Code);
                }
            }

            if (stop.IsCancellationRequested)
            {
                await made.DisposeAsync().ConfigureAwait(false);
            }
            else if (!goesOn)
            {
                made.LeaveRegistered();
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // It has ended meanwhile.
        }
        catch (Exception exception) when (exception is CoapException or ArgumentException)
        {
            // A session that has just ended cannot be kept.
            cluster.Counts.Add(ClusterMetric.ObservationsFailed);
            ObservationLog.NotAdopted(logger, observation.Name, $"{peer}", CoapUntrustedText.LineOf(exception.Message));
            lock (table.Gate)
            {
                if (observation.Stop == stop)
                {
                    (observation.Stop, observation.AwaitedSince) = (null, time.GetTimestamp());
                }
            }
        }
        finally
        {
            begun.TrySetResult();
        }
    }

    private static ClusterMetric OutcomeOf(CoapObservation made) => made switch
    {
        { State: CoapObserveState.NotObserving } => ClusterMetric.ObservationsDeclined,
        { Latest.IsSuccess: false } => ClusterMetric.ObservationsRefused,
        { State: CoapObserveState.Observing } => ClusterMetric.ObservationsBegun,
        _ => ClusterMetric.ObservationsUnanswered,
    };

    private (CoapObservation? Made, CancellationTokenSource? Stop) Stop(DurableObservation observation)
    {
        lock (table.Gate)
        {
            (CoapObservation? made, CancellationTokenSource? stop) = (observation.Observation, observation.Stop);
            (observation.Observation, observation.Stop) = (null, null);
            return (made, stop);
        }
    }

    private void OnNotification(
        DurableObservation observation, Action<CoapPeer, CoapResponse> handler, CoapPeer peer, CoapResponse response)
    {
        if (response.Options.Observe is { } number)
        {
            bool isFirst = observation.Heard is null;
            observation.Heard = new CoapNotificationPosition(number, time.GetUtcNow(), response.MaxAge);
            observation.IsDirty = true;
            if (isFirst)
            {
                // From now on the next node need not register.
                Write(observation, isHint: false);
            }
        }

        try
        {
            handler(peer, response);
        }
#pragma warning disable CA1031 // handlers of users may throw any exception; the observation continues
        catch (Exception exception)
#pragma warning restore CA1031
        {
            ObservationLog.HandlerFailed(logger, observation.Name, $"{peer}", exception);
        }
    }
}
