using System.Net;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Diagnostics;
using CoAP.NET.Exchanges;
using CoAP.NET.Simulation.Attack;
using CoAP.NET.Testing.Peers;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>
/// An endpoint on an in-memory network and virtual time, hostile peers that say what a row says, and peers that behave and must not be
/// disturbed. After each row the endpoint is looked at: what was counted, what was logged, whether buffers came back and tables are empty
/// once all lifetimes are over.
/// </summary>
internal abstract class DatagramWorld : IHostileWorld
{
    private static readonly CoapCounter[] s_never = [CoapCounter.StageErrors, CoapCounter.EncodeErrors, CoapCounter.Declined,
        CoapCounter.HandlerErrors, CoapCounter.NotSent];
    private static readonly TimeSpan s_beat = TimeSpan.FromSeconds(20);
    private readonly Dictionary<char, ScriptedPeer> _peers = [];
    private readonly BufferCount _buffers;
    private readonly Dictionary<string, byte[]> _remembered = [];
    private readonly long[] _ofOthers = new long[Enum.GetValues<CoapCounter>().Length];
    private long _carried;
    private int _rows;

    protected DatagramWorld(int bufferSize)
    {
        Network = new InMemoryNetwork(Clock, new InMemoryNetworkOptions { MaxTraceLength = 60 });
        _buffers = new BufferCount(bufferSize);
        Options = new CoapEndpointOptions { TimeProvider = Clock, Pipeline = { Random = new VirtualRandom(42) }, LoggerFactory = Log };
        Options.Limits.Messages.MaxDatagramSize = bufferSize;
        Network.Filter = packet =>
        {
            Interlocked.Add(ref _carried, packet.To == Address || packet.From == Address ? 1 : 0);
            return NetworkVerdict.Pass;
        };
    }

    public VirtualClock Clock { get; } = new();

    public InMemoryNetwork Network { get; }

    /// <summary>Where the endpoint is.</summary>
    public CoapAddress Address { get; } = InMemoryNetwork.Address("192.0.2.1:5683");

    protected CoapEndpointOptions Options { get; }

    protected ErrorLog Log { get; } = new();

    protected abstract CoapEndpoint Endpoint { get; }

    /// <summary>The host of the hostile peers a and b in this row; c is the next one.</summary>
    protected string Host { get; private set; } = "";

    private CoapShardPipeline Pipeline => Endpoint.Pipelines[0];

    public abstract ValueTask DisposeAsync();

    /// <summary>Runs a row and all checks.</summary>
    public async Task RunAsync(HostileRow row)
    {
        SynchronizationContext.SetSynchronizationContext(null);
        _rows++;
        Host = $"10.{_rows >> 8}.{_rows & 255}.1";
        await BeginAsync();
        try
        {
            Array.Clear(_ofOthers);
            long[] before = Counters();
            foreach (HostileStep step in HostileScript.Parse(row.Script))
            {
                await DoAsync(step);
            }

            AssertNothingMore(row.Script);
            await FinishAsync();
            long counted = Endpoint.Counters[row.Counter] - before[(int)row.Counter] - _ofOthers[(int)row.Counter];
            Assert.True(counted == row.Count, $"{row.Counter} went up by {counted}, not by {row.Count}. {Changes(before)}");
            await OthersAsync(EndAsync);
            AssertNothingMore("the lifetimes");
            if (row.IsPeerServed)
            {
                await ServeHostileAsync();
            }

            Leave();
            await SettleAsync();
            AssertFree();
        }
        catch (Exception exception) when (exception is not Xunit.Sdk.XunitException { InnerException: not null })
        {
            throw new Xunit.Sdk.XunitException($"{row.Name}\n{row.Script}\n{exception.Message}\n{Network}\n{exception.StackTrace}");
        }
        finally
        {
            foreach (ScriptedPeer peer in _peers.Values)
            {
                peer.Dispose();
            }

            _peers.Clear();
            _remembered.Clear();
        }
    }

    /// <summary>Peers that behave begin what is under way while the row is played.</summary>
    protected abstract Task BeginAsync();

    /// <summary>Peers that behave go on: time passes.</summary>
    protected abstract Task BeatAsync();

    /// <summary>Peers that behave finish, and everything they have is right.</summary>
    protected abstract Task EndAsync();

    /// <summary>What the row began is looked at a last time.</summary>
    protected virtual Task FinishAsync() => Task.CompletedTask;

    /// <summary>The hostile peer asks, or is asked, something ordinary.</summary>
    protected abstract Task ServeHostileAsync();

    /// <summary>The hostile peers go: what still comes is rejected, so that nobody waits for them.</summary>
    protected virtual void Leave()
    {
        foreach (ScriptedPeer peer in _peers.Values)
        {
            peer.Responder = datagram =>
            {
                if (datagram.Type is CoapMessageType.Confirmable or CoapMessageType.NonConfirmable)
                {
                    peer.Reset(datagram);
                }

                return true;
            };
        }
    }

    protected abstract Task DoOtherAsync(HostileStep step);

    /// <summary>A state that the endpoint must not keep once all lifetimes are over.</summary>
    protected abstract IEnumerable<(string What, long Count)> Tables();

    protected ScriptedPeer Peer(char name)
    {
        if (!_peers.TryGetValue(name, out ScriptedPeer? peer))
        {
            IPAddress host = IPAddress.Parse(name == 'c' ? Host[..^1] + "2" : Host);
            peer = Network.CreatePeer(CoapAddress.FromIPEndPoint(new IPEndPoint(host, name == 'b' ? 5684 : 5683)), Address);
            _peers.Add(name, peer);
            foreach ((string what, byte[] value) in _remembered)
            {
                peer.Remember(what, value);
            }
        }

        return peer;
    }

    /// <summary>Runs what others than the hostile peers do, so that what it counts is not the row's.</summary>
    protected async Task OthersAsync(Func<Task> action)
    {
        long[] before = Counters();
        await action();
        for (int i = 0; i < before.Length; i++)
        {
            _ofOthers[i] += Endpoint.Counters[(CoapCounter)i] - before[i];
        }
    }

    /// <summary>So many datagrams left by another transport.</summary>
    protected void Carried(int count) => Interlocked.Add(ref _carried, count);

    protected async Task PassAsync(TimeSpan time)
    {
        for (TimeSpan left = time; left > TimeSpan.Zero; left -= s_beat)
        {
            Clock.Advance(left < s_beat ? left : s_beat);
            if (left >= s_beat)
            {
                await OthersAsync(BeatAsync);
            }
        }
    }

    /// <summary>Waits for what other threads may have to do first.</summary>
    protected async Task UntilAsync(Func<bool> condition, Func<string> what)
    {
        using CancellationTokenSource guard = new(TimeSpan.FromMinutes(2));
        for (int i = 0; !condition(); i++)
        {
            Network.Pump();
            if (guard.IsCancellationRequested)
            {
                throw new ScriptExpectationException(what());
            }

            if (i < 100)
            {
                await Task.Yield();
            }
            else
            {
#pragma warning disable RS0030 // Other threads of the process are to run; nothing is timed by it.
                await Task.Delay(1);
#pragma warning restore RS0030
            }
        }
    }

    private async Task DoAsync(HostileStep step)
    {
        switch (step.Do)
        {
            case ">":
                ScriptedPeer sender = Peer(step.Peer);
                byte[] bytes = DatagramBytePattern.Parse(step.Rest).ToBytes(sender.Remembered);
                for (int i = 0; i < step.Times; i++)
                {
                    sender.Send(bytes);
                }

                break;
            case "<":
                ScriptedPeer receiver = Peer(step.Peer);
                for (int i = 0; i < step.Times; i++)
                {
                    await UntilAsync(() => receiver.Pending > 0, () => $"Nothing came where {step.Rest} was expected.");
                    receiver.Expect(step.Rest);
                }

                foreach ((string name, byte[] value) in receiver.Remembered)
                {
                    _remembered[name] = value;
                    foreach (ScriptedPeer other in _peers.Values)
                    {
                        other.Remember(name, value);
                    }
                }

                break;
            case "~":
                await PassAsync(TimeSpan.FromSeconds(double.Parse(step.Rest, CultureInfo.InvariantCulture)));
                break;
            default:
                await DoOtherAsync(step);
                break;
        }
    }

    private void AssertNothingMore(string after)
    {
        Network.Pump();
        foreach (ScriptedPeer peer in _peers.Values)
        {
            if (peer.Receive() is { } more)
            {
                throw new ScriptExpectationException($"After {after}: {more} came, and nothing was expected.");
            }
        }
    }

    private async Task SettleAsync()
    {
        for (int i = 0; i < 2; i++)
        {
            Clock.Advance(TimeSpan.FromMinutes(6));
        }

        await UntilAsync(() => Tables().All(table => table.Count == 0),
            () => $"Left over: {string.Join(", ", Tables().Where(table => table.Count != 0))}.");
    }

    private void AssertFree()
    {
        Assert.Empty(Log.Take());
        Assert.Equal([], s_never.Where(counter => Endpoint.Counters[counter] != 0));
        Assert.Equal(Volatile.Read(ref _carried), _buffers.Returned);
    }

    protected IEnumerable<(string What, long Count)> TablesOfPipeline()
    {
        lock (Pipeline.Shard.Gate)
        {
            return
            [
                ("messages outstanding", Pipeline.Messages.Outstanding),
                ("messages waiting", Pipeline.Messages.Waiting),
                ("requests running", Pipeline.Messages.Memory.Running),
                ("requests remembered", Pipeline.Messages.Memory.Finished),
                ("bodies", Pipeline.Blockwise.Requests.Count),
                ("answers kept", Pipeline.Blockwise.Responses.Count),
                ("requests served", Endpoint.Served.Count),
                ("requests pending", Pipeline.Channels.All().Sum(ExchangeLayer.PendingOf)),
                ("channels held", Pipeline.Channels.All().Sum(channel => channel.Pins)),
            ];
        }
    }

    private long[] Counters()
    {
        long[] all = new long[Enum.GetValues<CoapCounter>().Length];
        for (int i = 0; i < all.Length; i++)
        {
            all[i] = Endpoint.Counters[(CoapCounter)i];
        }

        return all;
    }

    private string Changes(long[] before) =>
        string.Join(", ",
            before.Select((value, i) => (Counter: (CoapCounter)i, By: Endpoint.Counters[(CoapCounter)i] - value - _ofOthers[i]))
                .Where(change => change.By != 0).Select(change => $"{change.Counter} {change.By}"));
}
