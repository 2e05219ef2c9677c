using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Diagnostics;
using CoAP.NET.Observing;
using CoAP.NET.Observing.Server;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Notifications;

/// <summary>
/// Distributes <c>Notify</c> to the observers at all nodes: names of changes, each once per node, in batches. A node that may have missed
/// changes is told to notify all its observers once. Thread-safe.
/// </summary>
/// <param name="peers">The other nodes.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">The log of the cluster.</param>
internal sealed class ClusterNotifications(NodePeers peers, TimeProvider time, ILogger logger)
    : INodeLivenessListener, IDisposable
{
    // More names than this: the node notifies all its observers instead.
    private const int MaxWaiting = 65_536;
    private const int MaxNames = 1_000;
    private const char Separator = '\n';

    // Stands for everything that is observed.
    private const string Everything = "";

    private static readonly TimeSpan s_delay = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private readonly Dictionary<CoapNodeId, UnsentNames> _telling = [];
    private readonly RateLimitedLog _failed = new(time);
    private readonly CancellationTokenSource _stop = new();
    private AttachedFeed[] _feeds = [];
    private bool _hasChanged;
    private bool _isEnded;

    /// <summary>Reports the changes of a server, until it stops.</summary>
    public void Attach(CoapServer server, string name)
    {
        AttachedFeed feed = new(this, server, name);
        lock (_gate)
        {
            _feeds = [.. _feeds, feed];
        }

        _ = ForgetAsync(feed, server.Endpoint.Completion);
    }

    /// <summary>Notifies the observers here of changes at another node.</summary>
    /// <param name="names">The names, each with that of its server.</param>
    public void Apply(IReadOnlyList<string> names)
    {
        AttachedFeed[] feeds = Volatile.Read(ref _feeds);
        foreach (AttachedFeed feed in feeds)
        {
            feed.Begin();
        }

        foreach (string full in names)
        {
            int at = full.IndexOf(Separator, StringComparison.Ordinal);
            foreach (AttachedFeed feed in feeds)
            {
                if (full == Everything)
                {
                    feed.ApplyAll();
                }
                else if (at >= 0 && full.AsSpan(0, at).SequenceEqual(feed.Name))
                {
                    feed.Apply(full[(at + 1)..]);
                }
            }
        }
    }

    /// <inheritdoc/>
    public void OnUp(CoapNodeId node)
    {
        lock (_gate)
        {
            UnsentNames telling = new(node) { IsIncomplete = _hasChanged };
            _telling[node] = telling;
            Begin(telling);
        }
    }

    /// <inheritdoc/>
    public void OnDown(CoapNodeId node)
    {
        lock (_gate)
        {
            _telling.Remove(node);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_gate)
        {
            if (!_isEnded)
            {
                _isEnded = true;
                _stop.Cancel();
                _stop.Dispose();
            }
        }
    }

    private void OnChanged(string server, string name)
    {
        string full = $"{server}{Separator}{name}";
        lock (_gate)
        {
            // Before the first one there is nothing that a node could have missed.
            _hasChanged = true;
            foreach (UnsentNames telling in _telling.Values)
            {
                if (!telling.IsIncomplete && telling.Names.Add(full) && telling.Names.Count > MaxWaiting)
                {
                    telling.Names.Clear();
                    telling.IsIncomplete = true;
                }

                Begin(telling);
            }
        }
    }

    // Requires the lock.
    private void Begin(UnsentNames telling)
    {
        if (!telling.IsBusy && telling.HasWork && !_isEnded)
        {
            telling.IsBusy = true;
            _ = ReportAsync(telling);
        }
    }

    private async Task ReportAsync(UnsentNames telling)
    {
        CancellationToken stop = _stop.Token;
        TimeSpan pause = s_delay;
        while (true)
        {
            await Task.Delay(pause, time, stop)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ForceYielding);
            string[] names;
            lock (_gate)
            {
                if (!telling.HasWork || stop.IsCancellationRequested || _telling.GetValueOrDefault(telling.Node) != telling)
                {
                    telling.IsBusy = false;
                    return;
                }

                names = telling.IsIncomplete ? [Everything] : [.. telling.Names.Take(MaxNames)];
                telling.IsIncomplete = false;
                telling.Names.ExceptWith(names);
            }

            pause = s_delay;
            try
            {
                await (peers.Find(telling.Node)?.Service.ReportResourceChangesAsync(names) ?? Task.CompletedTask).ConfigureAwait(false);
            }
#pragma warning disable CA1031 // the node may be dead, stopping or slow; if it lives, it is told again
            catch (Exception exception)
#pragma warning restore CA1031
            {
                lock (_gate)
                {
                    telling.IsIncomplete |= names is [Everything];
                    telling.Names.UnionWith(telling.IsIncomplete ? [] : names);
                }

                pause = s_retry;
                if (_failed.IsDue())
                {
                    ClusterNotificationLog.NotNotified(logger, telling.Node, exception.Message);
                }
            }
        }
    }

    private async Task ForgetAsync(AttachedFeed feed, Task completion)
    {
        await completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        lock (_gate)
        {
            _feeds = [.. _feeds.Where(other => other != feed)];
        }

        feed.Dispose();
    }

    // What a node has yet to be told.
    private sealed class UnsentNames(CoapNodeId node)
    {
        public CoapNodeId Node { get; } = node;

        public HashSet<string> Names { get; } = new(StringComparer.Ordinal);

        public bool IsIncomplete { get; set; }

        public bool IsBusy { get; set; }

        public bool HasWork => IsIncomplete || Names.Count > 0;
    }

    private sealed class AttachedFeed : ICoapChangeListener, IDisposable
    {
        private readonly ClusterNotifications _notices;
        private readonly ServerToServerChangeFeed _feed;
        private readonly Lock _gate = new();
        private readonly HashSet<string> _observed = new(StringComparer.Ordinal);

        public AttachedFeed(ClusterNotifications notices, CoapServer server, string name)
        {
            _notices = notices;
            Name = name;
            _feed = server.FollowChanges(this);
        }

        public string Name { get; }

        public void Begin() => _feed.Begin();

        public void Apply(string name)
        {
            try
            {
                _feed.Apply(name);
            }
            catch (ArgumentException)
            {
                // A node of another version; nothing here has that name.
            }
        }

        public void ApplyAll()
        {
            string[] observed;
            lock (_gate)
            {
                while (_feed.TryTake(out string? name, out bool isObserved))
                {
                    _ = isObserved ? _observed.Add(name) : _observed.Remove(name);
                }

                observed = [.. _observed];
            }

            Array.ForEach(observed, Apply);
        }

        public void Dispose() => _feed.Dispose();

        void ICoapChangeListener.Changed(string name) => _notices.OnChanged(Name, name);

        void ICoapChangeListener.ObservedChanged()
        {
            // Read when it is needed.
        }
    }
}
