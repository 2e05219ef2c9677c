namespace CoAP.NET.Simulation.Attack;

/// <summary>Honest clients beside an attack, half of them verified: whether they notice it.</summary>
internal sealed class KnownPeers
{
    private readonly AttackServer _server;
    private readonly Dictionary<CoapAddress, KnownPeer> _byAddress;
    private readonly KnownPeer[] _peers;

    /// <param name="server">Their server.</param>
    /// <param name="count">How many.</param>
    public KnownPeers(AttackServer server, int count)
    {
        _server = server;
        _peers = [.. Enumerable.Range(1, count).Select(number => new KnownPeer(server, number, verifies: number % 2 == 0))];
        _byAddress = _peers.ToDictionary(peer => peer.Address);
        Attach();
        Each(peer => peer.Meet());
        server.Clock.Advance(TimeSpan.FromSeconds(2.5));
        Each(peer => peer.Settle());
        server.Clock.Advance(TimeSpan.FromSeconds(1));
    }

    /// <summary>How many times something was not as it has to be.</summary>
    public int Troubles => _peers.Sum(peer => peer.Troubles.Count);

    /// <summary>What left to others: the answers to the attack.</summary>
    public long OthersDatagrams { get; private set; }

    /// <summary>Sees what the server sends, in place of whoever did.</summary>
    public void Attach() => _server.Wire.Sent = OnSent;

    /// <summary>Each goes on by a block, and is told of a change.</summary>
    public void Step()
    {
        Each(peer => peer.Acknowledge());
        _server.Change();
        _server.Clock.Advance(TimeSpan.FromMilliseconds(100));
        Each(peer => peer.Listen());
        Each(peer => peer.Step());
    }

    /// <summary>Finishes the transfers, repeats the POSTs, and says whether all was as without the attack.</summary>
    public void Check(AttackRun run)
    {
        while (_peers.Any(peer => !peer.IsDone))
        {
            Step();
        }

        _server.Clock.Advance(TimeSpan.FromSeconds(1));
        int counted = _server.Counted;
        Each(peer => peer.Repeat());
        foreach (string text in _peers.SelectMany(peer => peer.Troubles).CountBy(trouble => trouble)
            .Select(pair => $"{pair.Value} x {pair.Key}"))
        {
            run.Report(text);
        }

        run.Exactly($"of {_peers.Length} known peers: requests, blocks and duplicates gone wrong", Troubles, 0);
        run.Exactly("bodies stored whole", _server.Stored, _peers.Length);
        run.Exactly("observers without the last state", _peers.Count(peer => peer.Told != _server.State), 0);
        run.Exactly("POSTs run again", _server.Counted - counted, 0);
    }

    private void OnSent(in CoapAddress to, ReadOnlySpan<byte> bytes)
    {
        if (_byAddress.TryGetValue(to, out KnownPeer? peer))
        {
            peer.OnReceived(bytes);
        }
        else
        {
            OthersDatagrams++;
        }
    }

    private void Each(Action<KnownPeer> action) => Array.ForEach(_peers, action);
}
