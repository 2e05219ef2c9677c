using System.Threading.Tasks.Dataflow;
using BenchmarkDotNet.Attributes;

namespace CoAP.NET.Benchmarks;

// One hop through each kind of block. The block behind it is an inline one, which is called by the thread that offers: so what differs is
// the kind of block.
public partial class HopBenchmarks
{
    private readonly AddOneBlock _one = new();
    private readonly SumTarget _oneEnd = new();
    private readonly AddOneBlock[] _watched = [.. Enumerable.Range(0, Stages).Select(_ => new AddOneBlock())];
    private readonly SumTarget _watchedEnd = new();
    private readonly PassingBlock<int> _user = new();
    private readonly CoapCounters _declines = new();
    private readonly PostponingTarget<int> _postponing = new();
    private AddOneBlock _before = null!;

    /// <summary>A stage that processes inside the offer.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public long OneInlineBlock()
    {
        _oneEnd.Sum = 0;
        Post(_one);
        return _oneEnd.Sum;
    }

    /// <summary>Five of them with a user's block between the second and the third, as the pipeline puts it in.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public long FiveInlineBlocksAndAUsers()
    {
        _watchedEnd.Sum = 0;
        Post(_watched[0]);
        return _watchedEnd.Sum;
    }

    /// <summary>A stage whose target has no room: the message is counted as declined and given up.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public long OneInlineBlockBeforeAFullTarget()
    {
        Post(_before);
        return _postponing.Offers;
    }

    /// <summary>A TransformBlock.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public Task<long> OneTransformBlockAsync() => PassAsync(new TransformBlock<int, int>(static item => item + 1, Bounded));

    /// <summary>A BufferBlock.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public Task<long> OneBufferBlockAsync() => PassAsync(new BufferBlock<int>(new DataflowBlockOptions { BoundedCapacity = Capacity }));

    /// <summary>A BroadcastBlock with one target that always has room. One that is full would miss messages.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public Task<long> OneBroadcastBlockAsync() =>
        PassAsync(new BroadcastBlock<int>(static item => item, new DataflowBlockOptions { BoundedCapacity = Capacity }));

    private void SetUpKinds()
    {
        _one.LinkTo(_oneEnd, s_propagate);
        for (int i = 1; i < Stages; i++)
        {
            if (i == 2)
            {
                _watched[1].LinkTo(new UserTarget<int>(_user), s_propagate);
                _user.LinkTo(_watched[2], s_propagate);
            }
            else
            {
                _watched[i - 1].LinkTo(_watched[i], s_propagate);
            }
        }

        _watched[^1].LinkTo(_watchedEnd, s_propagate);
        _before = new AddOneBlock(_declines);
        _before.LinkTo(_postponing, s_propagate);
    }

    private void CheckKinds()
    {
        Expect(Sum(1), OneInlineBlock());
        Expect(Sum(Stages), FiveInlineBlocksAndAUsers());
        Expect(Messages, _user.Count);
        Expect(Messages, OneInlineBlockBeforeAFullTarget());
        Expect(Messages, _declines[CoapCounter.Declined]);
        Expect(Sum(1), OneTransformBlockAsync().GetAwaiter().GetResult());
        Expect(Sum(0), OneBufferBlockAsync().GetAwaiter().GetResult());
        Expect(Sum(0), OneBroadcastBlockAsync().GetAwaiter().GetResult());
    }

    private static void Post(AddOneBlock head)
    {
        for (int i = 0; i < Messages; i++)
        {
            head.Post(i);
        }
    }

    private static async Task<long> PassAsync(IPropagatorBlock<int, int> block)
    {
        SumTarget end = new();
        block.LinkTo(end, s_propagate);
        for (int i = 0; i < Messages; i++)
        {
            if (!block.Post(i))
            {
                await block.SendAsync(i);
            }
        }

        block.Complete();
        await end.Completion;
        return end.Sum;
    }
}
