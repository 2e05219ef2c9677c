using System.Threading.Channels;
using CoAP.NET.Diagnostics;
using CoAP.NET.Execution;

namespace CoAP.NET.Benchmarks;

/// <summary>
/// What the mesh alone costs for each message, so that one can say where a queue is worth its price: five stages of standard blocks, of
/// standard blocks that carry batches, and of blocks without a queue; and one hop through each kind of block, a Channel, and before a
/// target without room. All are bounded as an endpoint would have them. Queued variants include waiting until everything has arrived.
/// </summary>
[MemoryDiagnoser]
public class HopBenchmarks
{
    private const int Messages = 100_000;
    private const int Batch = 16;
    private const int Capacity = 1024;
    private const int Stages = 5;

    private readonly AddOneBlock _one = new();
    private readonly SumTarget _oneEnd = new();
    private readonly AddOneBlock[] _inline = [.. Enumerable.Range(0, Stages).Select(_ => new AddOneBlock())];
    private readonly SumTarget _inlineEnd = new();

    /// <summary>Wires the inline stages, and checks that every variant delivers every message before anything is measured.</summary>
    [GlobalSetup]
    public void Setup()
    {
        for (int i = 1; i < Stages; i++)
        {
            _inline[i - 1].LinkTo(_inline[i]);
        }

        _inline[^1].LinkTo(_inlineEnd);
        SetUpKinds();

        long first = Sum(0);
        long fifth = Sum(Stages);
        Expect(fifth, FiveInlineBlocks());
        Expect(fifth, FiveStandardBlocksAsync().GetAwaiter().GetResult());
        Expect(fifth, FiveStandardBlocksInBatchesAsync().GetAwaiter().GetResult());
        Expect(first, OneActionBlockAsync().GetAwaiter().GetResult());
        Expect(first, OneChannelAsync().GetAwaiter().GetResult());
        CheckKinds();
    }

    /// <summary>Five stages that process inside the offer.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public long FiveInlineBlocks()
    {
        _inlineEnd.Sum = 0;
        Post(_inline[0]);
        return _inlineEnd.Sum;
    }

    /// <summary>Five TransformBlocks, one message at a time.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Messages)]
    public async Task<long> FiveStandardBlocksAsync()
    {
        TransformBlock<int, int> head = Chain<int>(item => item + 1, out TransformBlock<int, int> last);
        long sum = 0;
        ActionBlock<int> end = End<int>(item => sum += item);
        last.LinkTo(end, s_propagate);
        for (int i = 0; i < Messages; i++)
        {
            if (!head.Post(i))
            {
                await head.SendAsync(i);
            }
        }

        head.Complete();
        await end.Completion;
        return sum;
    }

    /// <summary>Five TransformBlocks that carry arrays of 16 messages.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public async Task<long> FiveStandardBlocksInBatchesAsync()
    {
        TransformBlock<int[], int[]> head = Chain<int[]>(AddOne, out TransformBlock<int[], int[]> last);
        long sum = 0;
        ActionBlock<int[]> end = End<int[]>(batch => sum += Total(batch));
        last.LinkTo(end, s_propagate);
        for (int i = 0; i < Messages; i += Batch)
        {
            int[] batch = new int[Batch];
            for (int j = 0; j < Batch; j++)
            {
                batch[j] = i + j;
            }

            if (!head.Post(batch))
            {
                await head.SendAsync(batch);
            }
        }

        head.Complete();
        await end.Completion;
        return sum;
    }

    /// <summary>One hop through an ActionBlock.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public async Task<long> OneActionBlockAsync()
    {
        long sum = 0;
        ActionBlock<int> end = End<int>(item => sum += item);
        for (int i = 0; i < Messages; i++)
        {
            if (!end.Post(i))
            {
                await end.SendAsync(i);
            }
        }

        end.Complete();
        await end.Completion;
        return sum;
    }

    /// <summary>One hop through a bounded Channel with one reader and one writer.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public async Task<long> OneChannelAsync()
    {
        Channel<int> channel = Channel.CreateBounded<int>(new BoundedChannelOptions(Capacity) { SingleReader = true, SingleWriter = true });
        Task<long> reading = ReadAsync(channel.Reader);
        for (int i = 0; i < Messages; i++)
        {
            if (!channel.Writer.TryWrite(i))
            {
                await channel.Writer.WriteAsync(i);
            }
        }

        channel.Writer.Complete();
        return await reading;
    }

    private static readonly DataflowLinkOptions s_propagate = new() { PropagateCompletion = true };

    private static ExecutionDataflowBlockOptions Bounded => new() { BoundedCapacity = Capacity, SingleProducerConstrained = true };

    private static ActionBlock<T> End<T>(Action<T> action) => new(action, Bounded);

    private static TransformBlock<T, T> Chain<T>(Func<T, T> stage, out TransformBlock<T, T> last)
    {
        TransformBlock<T, T> head = last = new(stage, Bounded);
        for (int i = 1; i < Stages; i++)
        {
            TransformBlock<T, T> next = new(stage, Bounded);
            last.LinkTo(next, s_propagate);
            last = next;
        }

        return head;
    }

    private static int[] AddOne(int[] batch)
    {
        for (int i = 0; i < batch.Length; i++)
        {
            batch[i]++;
        }

        return batch;
    }

    private static long Total(int[] batch)
    {
        long total = 0;
        foreach (int item in batch)
        {
            total += item;
        }

        return total;
    }

    private static async Task<long> ReadAsync(ChannelReader<int> reader)
    {
        await Task.Yield();
        long sum = 0;
        while (await reader.WaitToReadAsync())
        {
            while (reader.TryRead(out int item))
            {
                sum += item;
            }
        }

        return sum;
    }

    private static long Sum(int added) => Enumerable.Range(0, Messages).Sum(i => (long)i + added);

    private static void Expect(long expected, long actual)
    {
        if (expected != actual)
        {
            throw new InvalidOperationException($"Messages got lost: the sum is {actual} instead of {expected}.");
        }
    }

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
    public Task<long> OneTransformBlockAsync() => PassAsync(new TransformBlock<int, int>(item => item + 1, Bounded));

    /// <summary>A BufferBlock.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public Task<long> OneBufferBlockAsync() => PassAsync(new BufferBlock<int>(new DataflowBlockOptions { BoundedCapacity = Capacity }));

    /// <summary>A BroadcastBlock with one target that always has room. One that is full would miss messages.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public Task<long> OneBroadcastBlockAsync() =>
        PassAsync(new BroadcastBlock<int>(item => item, new DataflowBlockOptions { BoundedCapacity = Capacity }));

    private void SetUpKinds()
    {
        _one.LinkTo(_oneEnd, s_propagate);
        for (int i = 1; i < Stages; i++)
        {
            if (i == 2)
            {
                _watched[1].LinkTo(new UserCodeTarget<int>(_user), s_propagate);
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
