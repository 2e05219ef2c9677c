using CoAP.NET.Transports;

namespace CoAP.NET.Testing;

// What the test does to the network. Chance is drawn in the chapter about delivery.
public sealed partial class InMemoryNetwork
{
    private readonly List<(NetworkRule Where, NetworkConditions Conditions)> _links = [];
    private readonly List<NetworkRule> _partitions = [];
    private readonly List<DropRule> _drops = [];
    private readonly List<CoapAddress> _down = [];
    private NetworkConditions _conditions;

    /// <summary>
    /// The conditions of all links that have none of their own. May be changed while the network runs, like those of single links: datagrams on their way keep their fate, and
    /// later ones do not wait for them.
    /// </summary>
    public NetworkConditions Conditions
    {
        get => _conditions;
        set
        {
            ArgumentNullException.ThrowIfNull(value);
            lock (_gate)
            {
                _conditions = value;
                _lastDue.Clear();
            }
        }
    }

    /// <summary>Asked about each datagram when it is sent, before chance; null for none. Runs on the sender's thread, outside the network's lock; it must not send.</summary>
    public Func<NetworkPacket, NetworkVerdict>? Filter { get; set; }

    /// <summary>Gives one direction between addresses conditions of its own. Of several that apply, the last one set counts.</summary>
    /// <param name="from">The sender.</param>
    /// <param name="to">The receiver.</param>
    /// <param name="conditions">The conditions.</param>
    public void SetConditions(CoapAddress from, CoapAddress to, NetworkConditions conditions)
    {
        ArgumentNullException.ThrowIfNull(conditions);
        lock (_gate)
        {
            _links.RemoveAll(link => link.Where == new NetworkRule(from, to));
            _links.Add((new NetworkRule(from, to), conditions));
            _lastDue.Clear();
        }
    }

    /// <summary>Takes the conditions of all links away again, so that <see cref="Conditions"/> holds for all.</summary>
    public void ClearConditions()
    {
        lock (_gate)
        {
            _links.Clear();
            _lastDue.Clear();
        }
    }

    /// <summary>Cuts two addresses off from each other, in both directions. What is on its way between them is lost too.</summary>
    /// <param name="one">One address.</param>
    /// <param name="other">The other address; by default everybody.</param>
    public void Partition(CoapAddress one, CoapAddress other = default)
    {
        lock (_gate)
        {
            _partitions.Add(new NetworkRule(one, other));
            _partitions.Add(new NetworkRule(other, one));
            Note(NetworkEventKind.Changed, null, other, $"{Say(one)} and {Say(other)} are cut off from each other");
        }
    }

    /// <summary>Cuts one direction between two addresses.</summary>
    /// <param name="from">The sender.</param>
    /// <param name="to">The receiver.</param>
    public void Block(CoapAddress from, CoapAddress to)
    {
        lock (_gate)
        {
            _partitions.Add(new NetworkRule(from, to));
            Note(NetworkEventKind.Changed, null, to, $"nothing gets from {Say(from)} to {Say(to)}");
        }
    }

    /// <summary>Ends every <see cref="Partition"/> and <see cref="Block"/>.</summary>
    public void Heal()
    {
        lock (_gate)
        {
            _partitions.Clear();
            Note(NetworkEventKind.Changed, null, default, "all partitions are healed");
        }
    }

    /// <summary>Loses the next datagrams.</summary>
    /// <param name="count">How many.</param>
    /// <param name="from">The sender; by default anybody.</param>
    /// <param name="to">The receiver; by default anybody.</param>
    /// <exception cref="ArgumentOutOfRangeException">The number is not positive.</exception>
    public void DropNext(int count = 1, CoapAddress from = default, CoapAddress to = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(count);
        lock (_gate)
        {
            _drops.Add(new DropRule(new NetworkRule(from, to), 0, count));
        }
    }

    /// <summary>Loses one datagram, counted from now on.</summary>
    /// <param name="n">Which; 1 is the next one.</param>
    /// <param name="from">The sender; by default anybody.</param>
    /// <param name="to">The receiver; by default anybody.</param>
    /// <exception cref="ArgumentOutOfRangeException">The number is not positive.</exception>
    public void DropNth(int n, CoapAddress from = default, CoapAddress to = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(n);
        lock (_gate)
        {
            _drops.Add(new DropRule(new NetworkRule(from, to), n - 1, 1));
        }
    }

    /// <summary>
    /// Gives a host another address in the eyes of all others, as a NAT does that forgot its mapping, or a device that roams. The host does not notice: its own
    /// local addresses stay. What goes to the old address finds nobody there.
    /// </summary>
    /// <param name="current">The address as others see it now.</param>
    /// <param name="next">The address from now on.</param>
    /// <exception cref="ArgumentException">Nobody has the current address, or the next one is no address of a host and port.</exception>
    /// <exception cref="CoapException">The next address is taken.</exception>
    public void Rebind(CoapAddress current, CoapAddress next)
    {
        CheckHost(next, nameof(next));
        ArgumentOutOfRangeException.ThrowIfZero(next.Port, nameof(next));
        lock (_gate)
        {
            if (!_nodes.TryGetValue(current, out NetworkNode? node))
            {
                throw new ArgumentException($"Nobody has the address {current}.", nameof(current));
            }

            if (!_nodes.TryAdd(next, node))
            {
                throw new CoapException($"The address {next} is taken on this network.");
            }

            _nodes.Remove(current);
            node.Outside = next;
            Note(NetworkEventKind.Changed, null, next, $"{current} is now {next}");
        }
    }

    /// <summary>Takes a host off the network: what it sends and what arrives for it is lost without a word.</summary>
    /// <param name="host">Its address as others see it.</param>
    public void TakeDown(CoapAddress host)
    {
        lock (_gate)
        {
            _down.Add(host);
            Note(NetworkEventKind.Changed, null, host, $"{Say(host)} is down");
        }
    }

    /// <summary>Puts a host back on the network.</summary>
    /// <param name="host">Its address, as it was given to <see cref="TakeDown"/>.</param>
    public void BringUp(CoapAddress host)
    {
        lock (_gate)
        {
            BringUpLocked(host);
        }
    }

    /// <summary>
    /// Takes a host off the network for a while. What is on its way to it is lost, also what would arrive later. What stands at the address keeps its state; for a host that
    /// loses it, dispose its endpoint and make another one with the same address.
    /// </summary>
    /// <param name="host">Its address as others see it.</param>
    /// <param name="downtime">How long it is down.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    public void Restart(CoapAddress host, TimeSpan downtime)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(downtime, TimeSpan.Zero);
        TakeDown(host);
        lock (_gate)
        {
            foreach ((InFlight item, _) in _inFlight.UnorderedItems)
            {
                item.IsCancelled |= item.Kind != InFlightKind.HostUp && NetworkRule.Covers(host, item.To);
            }

            Enqueue(new InFlight(InFlightKind.HostUp, null, host), downtime);
            Arm();
        }
    }

    private static string Say(CoapAddress address) =>
        address.Port != 0 ? address.ToString() : address.IsAny ? "everybody" : address.ToIPAddress().ToString();

    // The rest is called under the lock.
    private void BringUpLocked(CoapAddress host)
    {
        _down.Remove(host);
        Note(NetworkEventKind.Changed, null, host, $"{Say(host)} is up");
    }

    private NetworkConditions ConditionsOf(CoapAddress from, CoapAddress to)
    {
        for (int i = _links.Count - 1; i >= 0; i--)
        {
            if (_links[i].Where.Applies(from, to))
            {
                return _links[i].Conditions;
            }
        }

        return _conditions;
    }

    private bool IsPartitioned(CoapAddress from, CoapAddress to) => _partitions.Exists(rule => rule.Applies(from, to));

    private bool IsDown(CoapAddress address) => _down.Exists(host => NetworkRule.Covers(host, address));

    private bool IsDropped(CoapAddress from, CoapAddress to)
    {
        bool dropped = false;
        foreach (DropRule rule in _drops)
        {
            if (rule.Where.Applies(from, to))
            {
                dropped |= rule.Drops();
            }
        }

        _drops.RemoveAll(static rule => rule.IsSpent);
        return dropped;
    }
}
