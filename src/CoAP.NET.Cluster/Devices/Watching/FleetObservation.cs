using System.Runtime.CompilerServices;

namespace CoAP.NET.Cluster;

/// <summary>
/// Observes a resource at all devices for a caller on this node. Thread-safe; each enumeration is a separate observation.
/// </summary>
internal sealed class FleetObservation(
    CoapCluster cluster, DeviceWatches watches, WatchedResource resource, TimeSpan awayTime, CoapRandomSource random, TimeProvider time)
{
    private static readonly TimeSpan s_look = TimeSpan.FromSeconds(1);

    /// <summary>Yields the events of the devices.</summary>
    /// <param name="own">The token of the caller that started it.</param>
    /// <param name="cancellationToken">The token of the reader.</param>
    public async IAsyncEnumerable<CoapDeviceNotification> ReadAsync(
        CancellationToken own, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        using CancellationTokenSource stop = CancellationTokenSource.CreateLinkedTokenSource(own, cancellationToken);
        FleetPlaces places = new(awayTime, time);
        await using FleetSources sources = new(cluster, watches, resource, random, time);
        while (true)
        {
            await WaitAsync(sources, places.HasAway, stop.Token).ConfigureAwait(false);
            if (sources.Batches.TryRead(out FleetBatch batch))
            {
                if (batch.Items is not { } items)
                {
                    foreach (IGrouping<CoapNodeId, string> those in places.Lose(batch.Node)
                        .GroupBy(static one => one.Node, static one => one.Device))
                    {
                        sources.Read(those.Key, [.. those]);
                    }

                    continue;
                }

                List<string> inDoubt = [];
                foreach (WatchItem item in items)
                {
                    if (places.Apply(batch.Node, item, out bool mustBeRead) is { } happened)
                    {
                        yield return happened;
                    }

                    if (mustBeRead)
                    {
                        inDoubt.Add(item.Device);
                    }
                }

                if (inDoubt.Count > 0)
                {
                    sources.Read(batch.Node, inDoubt);
                }
            }

            if (places.HasAway)
            {
                foreach (CoapDeviceNotification gone in places.Expire())
                {
                    yield return gone;
                }
            }
        }
    }

    // Wakes up occasionally while devices are absent.
    private async Task WaitAsync(FleetSources sources, bool mustLook, CancellationToken cancellationToken)
    {
        Task<bool> ready = sources.Batches.WaitToReadAsync(cancellationToken).AsTask();
        if (!mustLook)
        {
            await ready.ConfigureAwait(false);
            return;
        }

        try
        {
            await ready.WaitAsync(s_look, time, cancellationToken).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            // Then it checks.
        }
    }
}
