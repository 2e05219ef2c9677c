using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// Distributes <c>Notify</c> to the observers on all nodes. Nodes exchange their observed resources as hashes, and then only the names of
/// changes, each once and batched for 5 ms; each node asks its own handlers. The node of a change numbers it. A node without notices for a
/// while, or with a new observed resource, learns which of its observed resources may have changed, and loses no change.
/// Thread-safe.
/// </summary>
internal sealed class ClusterNotices : IClusterLinkListener, IDisposable
{
    /// <summary>The time for which changes are collected.</summary>
    public static readonly TimeSpan Delay = TimeSpan.FromMilliseconds(5);

    /// <summary>The number of changes remembered for nodes that did not receive them.</summary>
    public const int MaxRemembered = 131_072;

    private const string ChangesPath = "/changes";
    private const string ObservedPath = "/observed";
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(30);

    private readonly ClusterLinks _links;
    private readonly ILogger _logger;
    private readonly TimeProvider _time;
    private readonly ITimer? _timer;
    private readonly OccasionalLog _failed;
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _gate = new();
    private readonly ChangeMemory _memory = new(MaxRemembered);
    private readonly Dictionary<CoapNodeId, NoticePeer> _peers = [];
    private readonly AttachedServers _servers;
    private bool _isArmed;
    private bool _isDisposed;
    private long _sent;
    private long _received;
    private long _messages;
    private long _missed;

    /// <summary>Creates the notices, before the links start.</summary>
    public ClusterNotices(ClusterLinks links, TimeProvider time, ILogger logger)
    {
        _links = links;
        _time = time;
        _logger = logger;
        _failed = new OccasionalLog(time);
        _servers = new AttachedServers(logger);
        if (links.IsOn)
        {
            _timer = time.CreateTimer(_ => OnTime(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            links.Routes.MapPost(ChangesPath, OnChanges).RunInline();
            links.Routes.MapPost(ObservedPath, OnObserved).RunInline();
            links.Listen(this);
        }
    }

    /// <summary>The counters.</summary>
    public ClusterNoticeCounters Counters
    {
        get
        {
            lock (_gate)
            {
                return new ClusterNoticeCounters(_memory.Number, _sent, _received, _messages, _missed);
            }
        }
    }

    /// <summary>The number of servers that report changes.</summary>
    public int ServerCount => _servers.Count;

    /// <summary>Whether messages to other nodes wait or are pending.</summary>
    public bool HasWork
    {
        get
        {
            lock (_gate)
            {
                return _isArmed || _links.Up.Any(node => !_peers.TryGetValue(node, out NoticePeer? peer) || peer.HasWork(_memory));
            }
        }
    }

    /// <summary>Whether exactly these paths are known to be observed at this node.</summary>
    public bool IsObserved(IReadOnlyCollection<string> paths)
    {
        lock (_gate)
        {
            return _servers.Observed.Count(static name => name.Contains("\n/", StringComparison.Ordinal)) == paths.Count
                && paths.All(_servers.Observed.Contains);
        }
    }

    /// <summary>Returns the number of names that wait for a node.</summary>
    public int WaitingFor(CoapNodeId node)
    {
        lock (_gate)
        {
            return _peers.GetValueOrDefault(node)?.Telling.Waiting ?? 0;
        }
    }

    /// <summary>Reports the changes of a server to other nodes, and theirs to its observers. Without links it does nothing.</summary>
    /// <param name="server">The server.</param>
    /// <param name="name">Distinguishes the servers of a process; the same on all nodes.</param>
    public void Attach(CoapServer server, string name)
    {
        if (!_links.IsOn)
        {
            return;
        }

        AttachedServer attached = new(this, server, name);
        lock (_gate)
        {
            if (!_isDisposed)
            {
                _servers.Add(attached);
                Arm();
                _ = ForgetAsync(attached, server.Endpoint.Completion);
                return;
            }
        }

        attached.Dispose();
    }

    /// <summary>Forgets nodes that are no longer in the map.</summary>
    public void Update(CoapClusterMap map)
    {
        lock (_gate)
        {
            foreach (NoticePeer peer in _peers.Values.ToArray())
            {
                bool isThere = map.IsThere(peer.Node);
                if (peer.WasThere && !isThere)
                {
                    _peers.Remove(peer.Node);
                }

                peer.WasThere |= isThere;
            }
        }
    }

    /// <summary>Handles a change at this node.</summary>
    public void OnChanged(string name)
    {
        ulong hash = NoticeNames.HashOf(name);
        lock (_gate)
        {
            _memory.Add(hash);
            bool isNews = false;
            foreach (NoticePeer peer in _peers.Values)
            {
                isNews |= peer.Telling.Add(name, hash) || peer.Telling.HasWork(_memory);
            }

            if (isNews)
            {
                Arm();
            }
        }
    }

    /// <summary>Handles a change of the observed resources of this node.</summary>
    public void OnObservedChanged()
    {
        lock (_gate)
        {
            Arm();
        }
    }

    void IClusterLinkListener.OnUp(CoapNodeId node)
    {
        lock (_gate)
        {
            NoticePeer peer = PeerOf(node);
            peer.IsPaused = false;
            peer.Telling.Greet();
            Arm();
        }
    }

    void IClusterLinkListener.OnDown(CoapNodeId node)
    {
        // Pending messages fail, and wait for the next link.
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
        }

        _stop.Cancel();
        _timer?.Dispose();
        _servers.Clear();
    }

    private async Task ForgetAsync(AttachedServer server, Task stopped)
    {
        await stopped.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ForceYielding);
        lock (_gate)
        {
            // It has no observers any more.
            TakeObserved();
            _servers.Remove(server);
            Arm();
        }

        server.Dispose();
    }

    private NoticePeer PeerOf(CoapNodeId node)
    {
        if (!_peers.TryGetValue(node, out NoticePeer? peer))
        {
            _peers.Add(node, peer = new NoticePeer(node));
        }

        return peer;
    }

    // Requires the lock. Later changes join the running batch.
    private void Arm()
    {
        if (!_isDisposed && !_isArmed)
        {
            _isArmed = true;
            _timer!.Change(Delay, Timeout.InfiniteTimeSpan);
        }
    }

    private void OnTime()
    {
        lock (_gate)
        {
            _isArmed = false;
            TakeObserved();
            foreach (NoticePeer peer in _peers.Values)
            {
                if (peer.IsPaused || !_links.IsUp(peer.Node))
                {
                    continue;
                }

                if (!peer.Telling.IsTelling && peer.Telling.HasWork(_memory))
                {
                    peer.Telling.IsTelling = true;
                    _ = TellAsync(peer);
                }

                if (!peer.Hearing.IsAsking && peer.Hearing.HasWork)
                {
                    peer.Hearing.IsAsking = true;
                    _ = AskAsync(peer);
                }
            }
        }
    }

    // Requires the lock.
    private void TakeObserved()
    {
        foreach ((string name, bool isObserved) in _servers.TakeNews())
        {
            foreach (NoticePeer peer in _peers.Values)
            {
                peer.Hearing.Add(name, isObserved);
            }
        }
    }

    private async Task TellAsync(NoticePeer peer)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        string[] names;
        long from;
        long to;
        lock (_gate)
        {
            names = peer.Telling.Take(out from);
            to = _memory.Number;
        }

        int at = 0;
        long known = from;
        try
        {
            do
            {
                // Only the last message marks the report as complete; if something is missing anyway, the first one does.
                int first = at;
                byte[] message = NoticeMessages.Changes(names, ref at);
                bool isSaid = known == NoticeMessages.Gap || at == names.Length;
                NoticeMessages.Number(message, known, isSaid ? to : known);
                await SendAsync(peer.Node, ChangesPath, message).ConfigureAwait(false);
                known = isSaid ? to : known;
                lock (_gate)
                {
                    _sent += at - first;
                    _messages++;
                }
            }
            while (at < names.Length);
            lock (_gate)
            {
                peer.Telling.Told(to);
                peer.Telling.IsTelling = false;
                if (peer.Telling.HasWork(_memory))
                {
                    Arm();
                }
            }
        }
        catch (CoapException exception)
        {
            lock (_gate)
            {
                peer.Telling.GiveBack(names, from);
                peer.Telling.IsTelling = false;
                OnFailed(peer, exception);
            }
        }
    }

    private async Task AskAsync(NoticePeer peer)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        (string Name, long Since)[] taken;
        bool isFromTheBeginning;
        lock (_gate)
        {
            taken = peer.Hearing.Take(_servers.Observed, out isFromTheBeginning);
        }

        try
        {
            int at = 0;
            do
            {
                int count = Math.Min(NoticeMessages.MaxObserved, taken.Length - at);
                byte[] message = NoticeMessages.Observed(isFromTheBeginning && at == 0, taken.AsSpan(at, count));
                CoapResponse response = await SendAsync(peer.Node, ObservedPath, message).ConfigureAwait(false);
                List<int> missed = NoticeMessages.ReadPlaces(response.Payload.Span, count);
                lock (_gate)
                {
                    _missed += missed.Count;
                }

                foreach (int place in missed)
                {
                    _servers.Apply(taken[at + place].Name);
                }

                at += count;
            }
            while (at < taken.Length);
            lock (_gate)
            {
                peer.Hearing.IsAsking = false;
                if (peer.Hearing.HasWork)
                {
                    Arm();
                }
            }
        }
        catch (CoapException exception)
        {
            lock (_gate)
            {
                peer.Hearing.GiveBack(taken);
                peer.Hearing.IsAsking = false;
                OnFailed(peer, exception);
            }
        }
    }

    private async Task<CoapResponse> SendAsync(CoapNodeId node, string path, byte[] message)
    {
        CoapRequest request = new(CoapMethod.Post, path) { Timeout = s_timeout };
        request.Message.Payload = message;
        return (await _links.SendAsync(node, request).ConfigureAwait(false)).EnsureSuccess();
    }

    // Requires the lock. If the link has ended, the next one continues.
    private void OnFailed(NoticePeer peer, CoapException exception)
    {
        if (peer.IsPaused || _isDisposed || !_links.IsUp(peer.Node))
        {
            return;
        }

        peer.IsPaused = true;
        _ = GoOnAsync(peer);
        if (_failed.IsDue())
        {
            NoticeLog.NoticeFailed(_logger, peer.Node, exception.Message);
        }
    }

    private async Task GoOnAsync(NoticePeer peer)
    {
        await Task.Delay(s_retry, _time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        lock (_gate)
        {
            peer.IsPaused = false;
            Arm();
        }
    }

    private CoapResult OnChanges(CoapRequest request)
    {
        CoapNodeId node = _links.NodeOf(request);
        if (!node.IsSet || !NoticeMessages.TryReadChanges(request.Payload.Span, out long from, out long to, out List<string> names))
        {
            return CoapResults.BadRequest("The payload is not a list of changes.");
        }

        // This order loses no change: a handler that is running now runs again; resources observed by now may have missed these changes,
        // and those observed from here on have not.
        _servers.Begin();
        lock (_gate)
        {
            TakeObserved();
            HearingPeer hearing = PeerOf(node).Hearing;
            hearing.Hear(from, to);
            _received += names.Count;
            if (hearing.HasWork)
            {
                Arm();
            }
        }

        names.ForEach(_servers.Apply);
        return CoapResults.Changed();
    }

    private CoapResult OnObserved(CoapRequest request)
    {
        CoapNodeId node = _links.NodeOf(request);
        if (!node.IsSet
            || !NoticeMessages.TryReadObserved(request.Payload.Span, out bool isFromTheBeginning, out (ulong Hash, long Since)[] entries))
        {
            return CoapResults.BadRequest("The payload is not a list of observed resources.");
        }

        List<int> missed = [];
        lock (_gate)
        {
            TellingPeer telling = PeerOf(node).Telling;
            if (isFromTheBeginning)
            {
                telling.Forget();
            }

            for (int i = 0; i < entries.Length; i++)
            {
                bool isObserved = entries[i].Since != NoticeMessages.NotObserved;
                telling.Observe(entries[i].Hash, isObserved);
                if (isObserved && _memory.MayHaveChanged(entries[i].Hash, entries[i].Since))
                {
                    missed.Add(i);
                }
            }
        }

        return CoapResults.Changed(new CoapContent(NoticeMessages.Places(missed), CoapContentFormat.OctetStream));
    }
}
