namespace CoAP.NET.Channels;

/// <summary>The connections of an endpoint, and how many each source has (RFC 8323 section 10). Thread-safe; one for all shards.</summary>
internal sealed class ConnectionTable(CoapLimits limits)
{
    private readonly Lock _gate = new();
    private readonly HashSet<CoapChannel> _channels = [];
    private readonly SourceCounts _sources = new(limits.MaxConnectionsPerAddress, limits.MaxConnections);

    // Guarded by the gate.
    private int _reliable;
    private TaskCompletionSource? _empty;

    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _channels.Count;
            }
        }
    }

    /// <summary>Called, without any lock, when the peer's CSM came.</summary>
    public Action<CoapChannel>? Ready { get; set; }

    /// <summary>Called, without any lock, when a connection has ended that was ready.</summary>
    public Action<CoapChannel, CoapConnectionException>? Gone { get; set; }

    /// <summary>Takes a connection in.</summary>
    /// <returns>False when a bound is reached. Connections of our own choice count, but not towards the share of their address.</returns>
    public bool TryAdd(CoapChannel channel)
    {
        lock (_gate)
        {
            // Sessions cost little beside what their transport keeps of them, which has bounds of its own.
            return !channel.IsReliable
                ? _channels.Add(channel)
                : _reliable < limits.MaxConnections && (channel.Connection!.IsInitiator || _sources.TryAdd(channel.Remote)) && _channels.Add(channel) && ++_reliable > 0;
        }
    }

    /// <summary>Takes a connection out.</summary>
    /// <returns>Whether it was there.</returns>
    public bool Remove(CoapChannel channel)
    {
        lock (_gate)
        {
            if (!_channels.Remove(channel))
            {
                return false;
            }

            if (channel.IsReliable)
            {
                _reliable--;
                if (!channel.Connection!.IsInitiator)
                {
                    _sources.Remove(channel.Remote);
                }
            }

            if (_channels.Count == 0)
            {
                _empty?.TrySetResult();
            }

            return true;
        }
    }

    /// <summary>Waits until there is none. Meant for when no more are taken in.</summary>
    public Task WhenEmptyAsync()
    {
        lock (_gate)
        {
            return _channels.Count == 0 ? Task.CompletedTask : (_empty ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        }
    }

    /// <summary>All of them, as a list of its own.</summary>
    public List<CoapChannel> All()
    {
        lock (_gate)
        {
            return [.. _channels];
        }
    }

    /// <summary>Those of a shard, as a list of its own.</summary>
    public List<CoapChannel> Of(CoapShard shard)
    {
        lock (_gate)
        {
            return [.. _channels.Where(channel => channel.Shard == shard)];
        }
    }
}
