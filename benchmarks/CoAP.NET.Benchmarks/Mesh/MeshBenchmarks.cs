namespace CoAP.NET.Benchmarks;

/// <summary>
/// The whole mesh for each request, from the inbound Transport stage to the outbound one: what handing over between all its blocks costs
/// without what the stages do, the real stages, and what blocks of a user at its stage links add.
/// </summary>
[MemoryDiagnoser]
public class MeshBenchmarks
{
    private const int Requests = 1024;

    private readonly byte[] _request = new ServerCase(WireFormat.Datagram, ServerWork.GetKept).Request();
    private readonly CoapDatagram _datagram = new(64);
    private readonly CountTarget<CoapDatagram> _end = new();
    private HandOverBlock<CoapDatagram, CoapDatagram> _head = null!;
    private MemoryServer _real = null!;
    private MemoryServer _watched = null!;
    private MemoryServer _queued = null!;
    private UserBlocks _blocks = null!;

    /// <summary>Makes the meshes, and checks that every request passes all blocks and is answered.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _head = Link();
        _real = new MemoryServer(WireFormat.Datagram, ServerCase.Map);
        _blocks = new UserBlocks();
        _watched = new MemoryServer(WireFormat.Datagram, ServerCase.Map, options => _blocks.InsertAll(options.Pipeline));
        _queued = new MemoryServer(WireFormat.Datagram, ServerCase.Map, options =>
            options.Pipeline.Insert(CoapStageLinks.ExchangesToResource, () => new BufferBlock<CoapExchange>()));
        EmptyStages();
        Expect(Requests, _end.Count);
        _real.Send(_request, MemoryServer.Remembered + MemoryServer.Peers);
        _watched.Send(_request, MemoryServer.Remembered + MemoryServer.Peers);
        long before = _blocks.Passed;
        StagesWithUserBlocks();
        Expect(10 * Requests, _blocks.Passed - before);
        for (int i = 0; i < MemoryServer.Remembered; i += Requests)
        {
            StagesWithAQueue();
        }
    }

    /// <summary>The blocks of all stages with the items that pass there, doing nothing.</summary>
    [Benchmark(OperationsPerInvoke = Requests)]
    public void EmptyStages()
    {
        for (int i = 0; i < Requests; i++)
        {
            _head.Post(_datagram);
        }
    }

    /// <summary>The real stages with a GET; its handler gives one result for all.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Requests)]
    public void Stages() => _real.Send(_request, Requests);

    /// <summary>The same with a block of a user at each of the ten stage links, which passes on what it gets.</summary>
    [Benchmark(OperationsPerInvoke = Requests)]
    public void StagesWithUserBlocks() => _watched.Send(_request, Requests);

    /// <summary>
    /// The same with a BufferBlock before the Resource stage: answers come from the thread pool. As many as there are peers are under way
    /// at a time.
    /// </summary>
    [Benchmark(OperationsPerInvoke = Requests)]
    public void StagesWithAQueue() => _queued.SendAndWait(_request, Requests);

    private HandOverBlock<CoapDatagram, CoapDatagram> Link()
    {
        CoapShard shard = DuplicateRig.NewShard(new SteppedClock(), new CoapCounters());
        CoapChannel channel = new(shard, new MemoryTransport(MemoryServer.PeerAt(-1)), 0, MemoryServer.PeerAt(0), default,
            CoapTransmissionParameters.Default);
        CoapMessage message = new(CoapCode.Get);
        CoapExchange exchange = new(channel, null, new CoapRequestContext(message, channel));
        CoapInbound inbound = new() { Channel = channel, Message = message };
        CoapOutbound outbound = new() { Channel = channel, Message = message };

        HandOverBlock<CoapDatagram, CoapDatagram> transport = new(_datagram);
        Then(Then(Then(Then(Then(Then(Then(Then(Then(Then(
            transport,
            new HandOverBlock<CoapDatagram, CoapDatagram>(_datagram)),
            new HandOverBlock<CoapDatagram, CoapInbound>(inbound)),
            new HandOverBlock<CoapInbound, CoapInbound>(inbound)),
            new HandOverBlock<CoapInbound, CoapExchange>(exchange)),
            new HandOverBlock<CoapExchange, CoapServerReply>(new CoapServerReply(exchange, CoapResults.Changed()))),
            new HandOverBlock<CoapServerReply, CoapOutbound>(outbound)),
            new HandOverBlock<CoapOutbound, CoapOutbound>(outbound)),
            new HandOverBlock<CoapOutbound, CoapDatagram>(_datagram)),
            new HandOverBlock<CoapDatagram, CoapDatagram>(_datagram)),
            new HandOverBlock<CoapDatagram, CoapDatagram>(_datagram)).LinkTo(_end);
        return transport;
    }

    private static HandOverBlock<TMiddle, TOutput> Then<TInput, TMiddle, TOutput>(HandOverBlock<TInput, TMiddle> source,
        HandOverBlock<TMiddle, TOutput> target)
    {
        source.LinkTo(target);
        return target;
    }

    private static void Expect(long expected, long actual)
    {
        if (expected != actual)
        {
            throw new InvalidOperationException($"{actual} items passed instead of {expected}.");
        }
    }
}
