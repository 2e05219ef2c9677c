using System.Collections.Concurrent;
using System.Threading.Channels;

namespace CoAP.NET.Cluster;

/// <summary>
/// Collects the news of all nodes about their devices for one observer: from this node, and from each other node by polls. Each node has
/// one batch at a time; the next one is taken after it was read. Thread-safe.
/// </summary>
internal sealed class FleetSources : IAsyncDisposable
{
    private const int MaxReads = 500;
    private const int ReadTries = 5;
    private static readonly TimeSpan s_pollTimeout = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan s_retry = TimeSpan.FromMilliseconds(250);

    private readonly CoapCluster _cluster;
    private readonly DeviceWatches _watches;
    private readonly WatchedResource _resource;
    private readonly CoapRandomSource _random;
    private readonly TimeProvider _time;
    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentDictionary<CoapNodeId, Task> _polls = new();
    private readonly WatchReader _reader = new();
    private readonly Channel<FleetBatch> _batches = Channel.CreateBounded<FleetBatch>(1);
    private readonly Lock _gate = new();

    public FleetSources(CoapCluster cluster, DeviceWatches watches, WatchedResource resource, CoapRandomSource random, TimeProvider time)
    {
        (_cluster, _watches, _resource, _random, _time) = (cluster, watches, resource, random, time);
        _polls[cluster.Self.Id] = ReadOwnAsync(watches.Join(resource, _reader));
        if (cluster.Links.IsOn)
        {
            cluster.MapChanged += OnMapChanged;
            OnMapChanged(null, EventArgs.Empty);
        }
    }

    /// <summary>The batches.</summary>
    public ChannelReader<FleetBatch> Batches => _batches.Reader;

    /// <summary>Makes a node read the states of devices.</summary>
    /// <param name="node">The node.</param>
    /// <param name="devices">The devices.</param>
    public void Read(CoapNodeId node, List<string> devices) => _ = ReadAsync(node, devices);

    public async ValueTask DisposeAsync()
    {
        Task[] all;
        lock (_gate)
        {
            _cluster.MapChanged -= OnMapChanged;
            _ = _stop.CancelAsync();
            all = [.. _polls.Values];
        }

        await Task.WhenAll(all).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private void OnMapChanged(object? sender, EventArgs arguments)
    {
        foreach (CoapClusterNode node in _cluster.Map.Nodes)
        {
            lock (_gate)
            {
                if (node.Address.Length > 0 && !_stop.IsCancellationRequested && !_polls.ContainsKey(node.Id))
                {
                    _polls[node.Id] = PollAsync(node.Id);
                }
            }
        }
    }

    private async Task ReadOwnAsync(DeviceWatch watch)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            while (true)
            {
                Task news = _reader.News.Next;
                if (watch.Take(_reader) is { Count: > 0 } items)
                {
                    await _batches.Writer.WriteAsync(new FleetBatch(_cluster.Self.Id, items), _stop.Token).ConfigureAwait(false);
                }
                else if (watch.IsOver)
                {
                    _batches.Writer.TryComplete(new ObjectDisposedException(
                        nameof(CoapCluster), "The node has left the cluster and no longer observes devices."));
                    return;
                }
                else
                {
                    await news.WaitAsync(_stop.Token).ConfigureAwait(false);
                }
            }
        }
        finally
        {
            watch.Remove(_reader);
        }
    }

    private async Task PollAsync(CoapNodeId node)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        byte[] id = new byte[16];
        _random.Fill(id);
        uint last = 0;
        while (_cluster.Map.Nodes.Any(other => other.Id == node))
        {
            try
            {
                CoapRequest poll = WatchWire.Poll(new Guid(id), last, _resource);
                poll.Timeout = s_pollTimeout;
                CoapResponse response = await _cluster.Links.SendAsync(node, poll, _stop.Token).ConfigureAwait(false);
                (uint number, List<WatchItem> items) = response.IsSuccess ? WatchWire.ReadItems(response.Payload.Span) : (0, []);
                if (number != 0)
                {
                    last = number;
                    if (items.Count > 0)
                    {
                        await _batches.Writer.WriteAsync(new FleetBatch(node, items), _stop.Token).ConfigureAwait(false);
                    }

                    continue;
                }
            }
            catch (CoapException)
            {
                // It died, or there is no link now.
            }

            await Task.Delay(s_retry * (0.5 + _random.NextDouble()), _time, _stop.Token).ConfigureAwait(false);
        }

        _polls.TryRemove(node, out _);
        await _batches.Writer.WriteAsync(new FleetBatch(node, null), _stop.Token).ConfigureAwait(false);
    }

    private async Task ReadAsync(CoapNodeId node, List<string> devices)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        foreach (string[] some in devices.Chunk(MaxReads))
        {
            for (int tries = 1; tries <= ReadTries && !_stop.IsCancellationRequested; tries++)
            {
                if (node == _cluster.Self.Id)
                {
                    _watches.Read(_resource, some);
                    break;
                }

                try
                {
                    CoapResponse response = await _cluster.Links.SendAsync(node, WatchWire.Read(_resource, some), _stop.Token)
                        .ConfigureAwait(false);
                    if (response.IsSuccess)
                    {
                        break;
                    }
                }
                catch (CoapException)
                {
                    // If it died, the next node of the devices is asked.
                }
                catch (OperationCanceledException)
                {
                    return;
                }

                await Task.Delay(s_retry * tries, _time, CancellationToken.None).ConfigureAwait(false);
            }
        }
    }
}
